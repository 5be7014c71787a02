import type { Level } from '../../../../laboratory/case.ts'
import type { RuleTexts } from '../../../../laboratory/files.ts'
import { renderPage } from '../../../design/page.tsx'
import type { RenderedPage } from '../../../design/rendered-page.ts'
import { RUNS_PATH } from './paths.ts'
import type { RunStates } from './read-states.ts'
import { CaseLink, Explained, isCounted, LevelReport } from './report-level.tsx'
import { type CaseState, hasPassed, isAskedFor, judgeGate } from './summary.ts'

const LEVELS: readonly Level[] = ['core', 'extended', 'open']

/** Everything that came with requests is shown as text. */
export function renderReport(
  { run, suite, all, states }: RunStates,
  rules: RuleTexts,
  baseUrl: string,
): Promise<RenderedPage> {
  const title = `${run.tool} ${run.version}`
  const isCalled = all.some(({ result }) => result)
  const content = (
    <>
      <p class="eyebrow">
        A run of the <a href="/lab">laboratory</a>
      </p>
      <h1>{title}</h1>
      {!isCalled && <p class="lead">No case was called yet.</p>}
      <p class="soft">
        Suite {suite}, OpenAPI {run.openapi}. Begun on {minuteOf(run.createdAt)}.{' '}
        {run.closed ? 'Closed: it records nothing more.' : `It is deleted on ${minuteOf(run.expiresAt)}.`}
      </p>
      {isCalled && <Gate states={states} path={`${RUNS_PATH}/${run.id}/gate`} />}
      {isCalled ? (
        <Results
          states={states}
          others={all.filter((state) => !states.includes(state))}
          openapi={run.openapi}
          rules={rules}
        />
      ) : (
        <Beginning url={`${baseUrl}${RUNS_PATH}/${run.id}`} />
      )}
    </>
  )
  const description = `What ${title} sent to the cases of the laboratory, what was expected, and where they part.`
  return renderPage({ title: `${title}: report`, description, width: 'wide', content })
}

/** Whether the run passes, and why not. @param path Of the lists of cases */
function Gate({ states, path }: { states: readonly CaseState[]; path: string }) {
  const { passes, unexpected, missing, stale } = judgeGate(states, 'core')
  const asked = states.filter(({ level }) => isAskedFor(level, 'core'))
  const faults = [
    [unexpected, 'failed or not finished'],
    [missing, 'never called'],
    [stale, 'passed, though expected to fail'],
  ] as const
  const found = faults.filter(([{ length }]) => length > 0).map(([{ length }, words]) => `${length} ${words}`)
  return (
    <p class={`notice ${passes ? 'good' : 'bad'}`}>
      <b>The gate {passes ? 'passes' : 'fails'}</b> at the level core, decided by {asked.filter(isCounted).length} of{' '}
      {asked.length} cases
      {passes ? '' : `: ${found.join(', ') || 'no case was judged'}`}. <a href={path}>The cases as lists</a>
    </p>
  )
}

/** How to call a case, for a run that has none. */
function Beginning({ url }: { url: string }) {
  return (
    <>
      <p>These two lines call one:</p>
      <pre>
        <code>{`RUN='${url}'\ncurl "$RUN/query/form-array?color=blue,black,brown"`}</code>
      </pre>
    </>
  )
}

interface Judged {
  states: readonly CaseState[]
  /** The cases that do not count. */
  others: readonly CaseState[]
  openapi: string
  rules: RuleTexts
}

function Results({ states, others, openapi, rules }: Judged) {
  const counted = states.filter(isCounted)
  return (
    <>
      {LEVELS.map((level) => (
        <LevelReport level={level} states={states} rules={rules} />
      ))}
      <h2>The other cases</h2>
      <Cases title="Passed" cases={counted.filter(hasPassed).map((state) => [state.id, wordsOf(state)])} />
      <Cases
        title="Skipped"
        cases={states.flatMap(({ id, skipped }) => (skipped === undefined ? [] : [[id, skipped]]))}
      />
      <Cases title="Not called" cases={counted.filter(({ result }) => !result).map(({ id }) => [id])} />
      <Cases
        title={`Judged, and in no count, because OpenAPI ${openapi} lacks them`}
        cases={others.flatMap(({ id, result }) =>
          result ? [[id, [result.verdict, result.reason].filter(Boolean).join(': ')]] : [],
        )}
      />
    </>
  )
}

/** What is to be said about a case that passed; empty if nothing is. */
const wordsOf = ({ result, expected }: CaseState): string =>
  [result?.reason, expected && `It passed, so it does not belong in expect: ${expected}`].filter(Boolean).join(' ')

/** Cases, folded. Those with words stand first. */
function Cases({
  title,
  cases,
}: {
  title: string
  cases: readonly (readonly [id: string, words?: string | undefined])[]
}) {
  if (cases.length === 0) return null
  const [plain, explained] = [cases.filter(([, words]) => !words), cases.filter(([, words]) => words)]
  return (
    <details class="lab-cases">
      <summary>
        {title}: {cases.length}
      </summary>
      {explained.length > 0 && <Explained cases={explained} />}
      {plain.length > 0 && (
        <ul class="tags">
          {plain.map(([id]) => (
            <li>
              <CaseLink id={id} />
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}

const minuteOf = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' at ')} UTC`
