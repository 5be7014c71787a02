import { anchorOf } from '../../../../laboratory/anchor.ts'
import { renderPage } from '../../../design/page.tsx'
import type { RenderedPage } from '../../../design/rendered-page.ts'
import type { LabCounts, LabResult } from '../../../schemas/lab-run.ts'
import { markDifference } from './mark-difference.ts'
import type { RunStates } from './read-states.ts'
import { type CaseState, hasPassed, summarise } from './summary.ts'

/** Everything that came with requests is shown as text. */
export function renderReport({ run, suite, states }: RunStates): Promise<RenderedPage> {
  const { core } = summarise(states)
  const passed = core.pass + core.nonStrict
  const differing = states.filter(isDifferent)
  const title = `${run.tool} ${run.version}`
  const content = (
    <>
      <p class="eyebrow">A run of the laboratory</p>
      <h1>{title}</h1>
      <p class="lead">
        {passed} of {core.cases} core cases passed.
      </p>
      <p class="soft">
        Suite {suite}. Begun on {minuteOf(run.createdAt)}.{' '}
        {run.closed ? 'Closed: it records nothing more.' : `It ends on ${minuteOf(run.expiresAt)}.`}
      </p>
      <Summary states={states} />
      <h2>What differs</h2>
      <p class="soft">The name of a case leads to its value, and to the section of the specification that decides.</p>
      {differing.length === 0 ? (
        <p>Nothing that was called.</p>
      ) : (
        differing.map((state) => <Difference state={state} />)
      )}
      <Cases title="Passed" states={states.filter((state) => state.skipped === undefined && hasPassed(state))} />
      <Cases title="Observed" states={states.filter((state) => isCounted(state) && state.result?.verdict === 'info')} />
      <Reasons title="Skipped" reasons={states.map(({ id, skipped }) => [id, skipped])} />
      <Missing states={states} />
    </>
  )
  const description = `What ${title} sent to the cases of the laboratory, what was expected, and where they part.`
  return renderPage({ title: `${title}: report`, description, width: 'wide', content })
}

const isCounted = ({ skipped }: CaseState) => skipped === undefined

/** Whether a case was called, counts, and did not pass. */
function isDifferent(state: CaseState): boolean {
  const { verdict } = state.result ?? {}
  return isCounted(state) && (verdict === 'fail' || verdict === 'incomplete')
}

const OUTCOMES: readonly (readonly [name: keyof LabCounts, title: string])[] = [
  ['cases', 'Cases'],
  ['pass', 'Passed'],
  ['nonStrict', 'Not strict'],
  ['fail', 'Failed'],
  ['info', 'Observed'],
  ['incomplete', 'Not finished'],
  ['missing', 'Not called'],
  ['skipped', 'Skipped'],
]

function Summary({ states }: { states: readonly CaseState[] }) {
  const levels = Object.entries(summarise(states))
  return (
    <table class="lab-summary">
      <thead>
        <tr>
          <td />
          {levels.map(([level]) => (
            <th scope="col">{level}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {OUTCOMES.map(([name, title]) => (
          <tr>
            <th scope="row">{title}</th>
            {levels.map(([, counts]) => (
              <td>{counts[name]}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A case, with what it is about: the value, the call, and the section of the specification. */
function CaseLink({ id }: { id: string }) {
  return (
    <a href={`/lab#${anchorOf(id)}`}>
      <code>{id}</code>
    </a>
  )
}

function Difference({ state: { id, level, result, expected } }: { state: CaseState }) {
  if (!result) return null
  const isFailure = result.verdict === 'fail'
  return (
    <section class="panel lab-difference">
      <h3 id={anchorOf(id)}>
        <CaseLink id={id} /> <span class="soft">{level}</span>{' '}
        <span class={`badge ${isFailure ? 'bad' : 'warn'}`}>{isFailure ? 'failed' : 'not finished'}</span>
      </h3>
      <p>{result.reason ?? 'It was begun and not finished.'}</p>
      {expected !== undefined && <p class="soft">Expected to fail: {expected}</p>}
      <dl>
        <Sent result={result} />
        {result.expected !== null && (
          <div>
            <dt>Expected</dt>
            <dd>
              <pre>
                <code>{result.expected}</code>
              </pre>
            </dd>
          </div>
        )}
      </dl>
    </section>
  )
}

function Sent({ result }: { result: LabResult }) {
  const shown = markDifference(result)
  if (!shown) return null
  const { before, marked, after, note } = shown
  return (
    <div>
      <dt>Sent{note}</dt>
      <dd>
        <pre>
          <code>
            {before}
            {marked !== '' && <mark>{marked}</mark>}
            {after}
          </code>
        </pre>
      </dd>
    </div>
  )
}

function Cases({ title, states }: { title: string; states: readonly CaseState[] }) {
  if (states.length === 0) return null
  return (
    <details class="lab-cases">
      <summary>
        {title}: {states.length}
      </summary>
      <dl class="terms">
        {states.map(({ id, level, result, expected }) => (
          <div>
            <dt>
              <CaseLink id={id} /> <span class="soft">{level}</span>
            </dt>
            <dd>
              {result?.reason ?? 'It passed.'}
              {expected !== undefined && ` It should fail, so it does not belong in expect any more: ${expected}`}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function Reasons({ title, reasons }: { title: string; reasons: readonly [id: string, reason: string | undefined][] }) {
  const given = reasons.filter(([, reason]) => reason !== undefined)
  if (given.length === 0) return null
  return (
    <details class="lab-cases">
      <summary>
        {title}: {given.length}
      </summary>
      <dl class="terms">
        {given.map(([id, reason]) => (
          <div>
            <dt>
              <code>{id}</code>
            </dt>
            <dd>{reason}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function Missing({ states }: { states: readonly CaseState[] }) {
  const missing = states.filter((state) => isCounted(state) && !state.result)
  if (missing.length === 0) return null
  return (
    <details class="lab-cases">
      <summary>Not called: {missing.length}</summary>
      <ul>
        {missing.map(({ id, level }) => (
          <li>
            <CaseLink id={id} /> <span class="soft">{level}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

const minuteOf = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' at ')} UTC`
