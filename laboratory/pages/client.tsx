import { WithCode } from '../../src/design/with-code.tsx'
import { anchorOf } from '../anchor.ts'
import type { CauseView, PlacedCell } from '../scoreboard/failures.ts'
import { causeOf, cellsOf, isFailure, unaskedOf, viewCauses } from '../scoreboard/failures.ts'
import { type Cell, hasFailed } from '../scoreboard/results.ts'
import type { ClientView } from '../scoreboard/view.ts'
import type { Case } from '../suite/declare.ts'
import { Facts } from './client-facts.tsx'
import { EvidenceList } from './evidence.tsx'
import { clientPath } from './scoreboard-clients.tsx'

interface Neighbours {
  previous: ClientView | undefined
  next: ClientView | undefined
}

/** The content of the page about a client. */
export function renderClient(client: ClientView, neighbours: Neighbours): string {
  const { name, cells } = client
  const failures = cellsOf(name, cells, isFailure)
  const observed = cellsOf(
    name,
    cells,
    (cell, { level }) => cell.verdict === 'info' || (level === 'open' && hasFailed(cell)),
  )
  const withVerdict = (verdict: Cell['verdict']) => cellsOf(name, cells, (cell) => cell.verdict === verdict)
  return String(
    <>
      <p class="eyebrow">
        <a href="/lab">The laboratory</a>, <a href="/lab/scoreboard">scoreboard</a>
      </p>
      <h1>{name}</h1>
      <Facts client={client} />
      <h2 id="causes">Why cases failed</h2>
      {failures.length === 0 && <p>No case failed.</p>}
      {viewCauses(failures).map((view) => (
        <Cause view={view} />
      ))}
      <Cells title="Other failures" cells={failures.filter((failure) => !causeOf(failure))} />
      <Cells title="Passed, but only because servers are tolerant" cells={withVerdict('non-strict')} />
      <Cells title="Observed: open cases, and what a client may leave undone" cells={observed} />
      <LeftOut title="What it leaves to its user" cells={withVerdict('skipped')} />
      <LeftOut title="Where its generator stops" cells={withVerdict('stops')} />
      <Unasked cases={unaskedOf(client)} />
      <nav class="neighbours" aria-label="Clients">
        {neighbours.previous && <Neighbour client={neighbours.previous} label="Previous" />}
        {neighbours.next && <Neighbour client={neighbours.next} label="Next" />}
      </nav>
    </>,
  )
}

function Cause({ view: { cause, failures } }: { view: CauseView }) {
  const report = cause.reports?.find(({ client }) => failures.some((failure) => failure.client === client))
  return (
    <section class="panel">
      <h3>
        <WithCode text={cause.title} />
      </h3>
      <p>
        {countOf(failures)}
        {report && (
          <>
            {'. '}
            <a href={report.url}>The report to its makers</a>
          </>
        )}
      </p>
      <Chips cells={failures} />
      <EvidenceList cells={failures} cause={cause.title} />
    </section>
  )
}

const countOf = ({ length }: readonly PlacedCell[]) => `${length} ${length === 1 ? 'case' : 'cases'}`

/** Cases that lead to their evidence. */
function Chips({ cells }: { cells: readonly PlacedCell[] }) {
  return (
    <ul class="tags chips" aria-label="Cases">
      {cells.map(({ spec: { id } }) => (
        <li>
          <a class="chip" href={`#${anchorOf(id)}`}>
            {id}
          </a>
        </li>
      ))}
    </ul>
  )
}

function Cells({ title, cells }: { title: string; cells: readonly PlacedCell[] }) {
  if (cells.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <section class="panel" aria-label={title}>
        <p>{countOf(cells)}</p>
        <Chips cells={cells} />
        <EvidenceList cells={cells} />
      </section>
    </>
  )
}

function LeftOut({ title, cells }: { title: string; cells: readonly PlacedCell[] }) {
  if (cells.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      {[...Map.groupBy(cells, ({ cell }) => cell.reason)].map(([reason, same]) => (
        <section class="panel" aria-label={reason?.replaceAll('`', '')}>
          <p>
            <WithCode text={reason ?? ''} /> {countOf(same)}
          </p>
          <Anchors cases={same.map(({ spec }) => spec)} />
        </section>
      ))}
    </>
  )
}

function Unasked({ cases }: { cases: readonly Case[] }) {
  if (cases.length === 0) return null
  return (
    <>
      <h2>What it was not asked</h2>
      <section class="panel" aria-label="What it was not asked">
        <p>These cases are newer than its run, and are counted in no figure.</p>
        <Anchors cases={cases} />
      </section>
    </>
  )
}

/** Cases without evidence, each at its anchor. */
function Anchors({ cases }: { cases: readonly Case[] }) {
  return (
    <ul class="tags chips" aria-label="Cases">
      {cases.map(({ id }) => (
        <li id={anchorOf(id)}>
          <a class="chip" href={`/lab/cases/${id}`}>
            {id}
          </a>
        </li>
      ))}
    </ul>
  )
}

function Neighbour({ client: { name }, label }: { client: ClientView; label: string }) {
  return (
    <a class="neighbour" href={clientPath(name)}>
      {label}: {name}
    </a>
  )
}
