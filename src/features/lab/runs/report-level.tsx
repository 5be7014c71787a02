import { raw } from 'hono/html'
import { anchorOf } from '../../../../laboratory/anchor.ts'
import type { Level } from '../../../../laboratory/case.ts'
import { compareSides } from '../../../../laboratory/difference.ts'
import type { RuleTexts } from '../../../../laboratory/files.ts'
import { ruleOfPart } from '../../../../laboratory/rule.ts'
import { Sides } from '../../../design/sides.tsx'
import { WithCode } from '../../../design/with-code.tsx'
import type { LabCounts } from '../../../schemas/lab-run.ts'
import { type CaseState, countStates } from './summary.ts'

/** How each outcome is shown, in the order of a bar: a sign, and a word. */
const OUTCOMES: readonly (readonly [name: Exclude<keyof LabCounts, 'cases'>, sign: string, word: string])[] = [
  ['pass', '✓', 'passed'],
  ['nonStrict', '(✓)', 'passed, not strict'],
  ['info', 'i', 'info'],
  ['skipped', '–', 'skipped'],
  ['missing', '○', 'not called'],
  ['incomplete', '…', 'not finished'],
  ['fail', '✗', 'failed'],
]

interface Report {
  states: readonly CaseState[]
  rules: RuleTexts
}

/** What a run says about the cases of a level. The level `core` is unfolded. */
export function LevelReport({ level, states, rules }: { level: Level } & Report) {
  const own = states.filter((state) => state.level === level)
  const counts = countStates(own)
  const { pass, nonStrict, info, cases } = counts
  const isOpen = level === 'open'
  const observed = own.filter((state) => isCounted(state) && state.result?.verdict === 'info')
  return (
    <details class="lab-level" open={level === 'core'}>
      <summary>
        <h2>
          {level}{' '}
          <span class="soft">
            {isOpen ? info : pass + nonStrict} of {cases} {isOpen ? 'described' : 'passed'}
          </span>
        </h2>
        <Bar counts={counts} />
      </summary>
      <ul class="lab-figures">
        {OUTCOMES.filter(([name]) => counts[name] > 0).map(([name, sign, word]) => (
          <li class={`lab-${name}`}>
            {sign} <b>{counts[name]}</b> {word}
          </li>
        ))}
      </ul>
      <Differences level={level} states={own.filter(isDifferent)} rules={rules} />
      {observed.length > 0 && (
        <>
          <h3>Info</h3>
          <p class="soft">
            No verdict:{' '}
            {isOpen
              ? 'the specification leaves these cases open. So what came is only described.'
              : 'the client left these undone, as it may.'}
          </p>
          <Explained cases={observed.map(({ id, result }) => [id, result?.reason])} />
        </>
      )}
    </details>
  )
}

/** Cases with words about each. */
export function Explained({ cases }: { cases: readonly (readonly [id: string, words?: string | null | undefined])[] }) {
  return (
    <dl class="terms">
      {cases.map(([id, words]) => (
        <div>
          <dt>
            <CaseLink id={id} />
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The figures as a picture, for those who see. The list below it says the same. */
function Bar({ counts }: { counts: LabCounts }) {
  let end = 0
  return (
    <svg class="lab-bar" viewBox={`0 0 ${counts.cases} 1`} preserveAspectRatio="none" aria-hidden="true">
      {OUTCOMES.map(([name]) => {
        const start = end
        end += counts[name]
        return counts[name] > 0 && <rect class={`lab-${name}`} x={start} width={counts[name]} height="1" />
      })}
    </svg>
  )
}

export const isCounted = ({ skipped }: CaseState) => skipped === undefined

/** Whether a case was called, counts, and did not pass. */
function isDifferent(state: CaseState): boolean {
  const { verdict } = state.result ?? {}
  return isCounted(state) && (verdict === 'fail' || verdict === 'incomplete')
}

/** What differs, by group, with a list that leads to each group. */
function Differences({ level, states, rules }: { level: Level } & Report) {
  const groups = [...Map.groupBy(states, ({ id }) => id.replace(/\/.*/, ''))]
  if (groups.length === 0) return null
  return (
    <>
      <nav class="tags" aria-label={`What differs: ${level}`}>
        {groups.map(([group, differing]) => (
          <a href={`#${level}-${group}`}>
            {group} {differing.length}
          </a>
        ))}
      </nav>
      {groups.map(([group, differing]) => (
        <>
          <h3 id={`${level}-${group}`}>{group}</h3>
          {differing.map((state) => (
            <Difference state={state} rules={rules} />
          ))}
        </>
      ))}
    </>
  )
}

/** A case, as a link to the page about it. */
export function CaseLink({ id }: { id: string }) {
  return (
    <a href={`/lab/cases/${id}`}>
      <code>{id}</code>
    </a>
  )
}

function Difference({ state, rules }: { state: CaseState } & Pick<Report, 'rules'>) {
  const { id, judged, part, result, expected } = state
  if (!result) return null
  const { verdict, reason, at } = result
  const sides = compareSides(judged, { part, ...result })
  const own = rules.cases[id]
  const [sign, word, tone] = verdict === 'fail' ? ['✗', 'failed', 'bad'] : ['…', 'not finished', 'warn']
  return (
    <section class="panel lab-difference">
      <h4 id={anchorOf(id)}>
        <CaseLink id={id} />{' '}
        <span class={`badge ${tone}`}>
          {sign} {word}
        </span>
      </h4>
      <p>
        <WithCode text={reason ?? 'It was begun and not finished.'} />{' '}
        {at !== null && <span class="soft">Byte {at}, counted from 0.</span>}
      </p>
      {sides && <Sides sides={sides} sent="sent" name={id} />}
      {own && <p class="soft">What decides it: {raw(rules.texts[ruleOfPart(own, part)] ?? '')}</p>}
      {expected !== undefined && <p class="soft">Expected to fail: {expected}</p>}
    </section>
  )
}
