import type { Scoreboard } from '../scoreboard/results.ts'
import { viewClients } from '../scoreboard/view.ts'
import { CASES } from '../suite/suite.ts'
import { Bench } from './bench.tsx'
import { CaseList } from './case-list.tsx'
import { JudgeYourClient } from './judge-your-client.tsx'
import { Terms } from './terms.tsx'

/** The case that the bench of the page begins with. */
const FIRST = 'query/form-array'

/**
 * The content of the page `/lab`, as HTML. The build renders it, because it is the same in all worlds but for the
 * address.
 *
 * @param guide docs/lab.md
 * @throws Error if the guide lacks a program that the page shows
 */
export function renderLaboratory(guide: string, scoreboard: Scoreboard): string {
  const first = CASES.find(({ id }) => id === FIRST)
  if (!first) throw new Error(`there is no case ${FIRST}`)
  return String(
    <>
      <h1>The laboratory</h1>
      <p class="lead">
        An acid test for API clients: it names the byte that is wrong. {viewClients(scoreboard).length} clients
        compared: <a href="/lab/scoreboard">the scoreboard</a>.
      </p>
      <Bench spec={first} />
      <h2 id="client">Judge your client</h2>
      <JudgeYourClient guide={guide} />
      <h2 id="cases">Cases</h2>
      <CaseList cases={CASES} />
      <h2 id="words">Words</h2>
      <Terms />
    </>,
  )
}
