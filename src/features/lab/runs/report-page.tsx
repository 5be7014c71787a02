import type { Level } from '../../../../laboratory/case.ts'
import { renderPage } from '../../../design/page.tsx'
import type { RenderedPage } from '../../../design/rendered-page.ts'
import { RUNS_PATH } from './paths.ts'
import type { RunStates } from './read-states.ts'
import { CaseLink, Explained, isCounted, LevelReport } from './report-level.tsx'
import { type CaseState, hasPassed } from './summary.ts'

const LEVELS: readonly Level[] = ['core', 'extended', 'open']

/** Everything that came with requests is shown as text. */
export function renderReport({ run, suite, all, states }: RunStates, baseUrl: string): Promise<RenderedPage> {
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
        {run.closed ? 'Closed: it records nothing more.' : `It ends on ${minuteOf(run.expiresAt)}.`}
      </p>
      {isCalled ? (
        <Results states={states} others={all.filter((state) => !states.includes(state))} openapi={run.openapi} />
      ) : (
        <Beginning url={`${baseUrl}${RUNS_PATH}/${run.id}`} />
      )}
    </>
  )
  const description = `What ${title} sent to the cases of the laboratory, what was expected, and where they part.`
  return renderPage({ title: `${title}: report`, description, width: 'wide', content })
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
}

function Results({ states, others, openapi }: Judged) {
  const counted = states.filter(isCounted)
  return (
    <>
      {LEVELS.map((level) => (
        <LevelReport level={level} states={states} />
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
