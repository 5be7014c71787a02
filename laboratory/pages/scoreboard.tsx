import { GROUPS, type Version } from '../case.ts'
import type { ClientView } from '../scoreboard/view.ts'
import { CASES, SUITE } from '../suite/suite.ts'
import { CaseFilter, Cases, Legend } from './scoreboard-cases.tsx'
import { Clients, LanguageChoice, VersionChoice } from './scoreboard-clients.tsx'

/** The content of the page /lab/scoreboard. @param clients In the order of the board */
export function renderScoreboard(clients: readonly ClientView[]): string {
  const content = (
    <>
      <p class="eyebrow">
        <a href="/lab">The laboratory</a>
      </p>
      <h1>Scoreboard</h1>
      <p class="lead">
        How many cases each of {clients.length} API clients passes: <b>core</b> is in daily use, <b>extended</b> is
        rare.
      </p>
      <noscript>
        <p class="notice">
          To sort and to filter needs JavaScript. The tables are complete without it, and an order or a filter in the
          address has no effect.
        </p>
      </noscript>
      <p class="notice" role="status" data-ignored hidden />
      <h2 class="visually-hidden">Clients</h2>
      <div class="board-filter" data-filter hidden>
        <LanguageChoice />
        <VersionChoice />
        <span class="soft" role="status" data-clients />
      </div>
      <p class="board-hint">
        All clients of a version are in this table, which scrolls in both directions. On its right are the groups of
        cases: {GROUPS.join(', ')}.
      </p>
      <Clients clients={clients} />
      <p>
        Each client was made from one document, and called each case of its version of OpenAPI once, but those that are
        newer than its run: of {CASES.length} cases, 3.1 has {countIn('3.1')} and 3.2 {countIn('3.2')}. A case says what
        the specifications ask for, and is judged by the bytes that arrive. <RunDays clients={clients} />
      </p>
      <h2 id="cases">Cases</h2>
      <p>
        A sign leads to what the client sent. <b>open</b> cases are left to implementations by the specification: they
        are described, and never judged.
      </p>
      <Legend clients={clients} />
      <CaseFilter clients={clients} />
      <Cases clients={clients} />
      <Figures />
    </>
  )
  return String(content)
}

const countIn = (version: Version) => CASES.filter(({ versions }) => versions.includes(version)).length

/** The days of the runs, once for all of them. */
function RunDays({ clients }: { clients: readonly ClientView[] }) {
  const days = clients.map(({ date }) => date).toSorted()
  const [first, last] = [days[0], days.at(-1)]
  return (
    <>
      Runs of {first === last ? first : `${first} to ${last}`}, suite {SUITE}.
    </>
  )
}

function Figures() {
  return (
    <>
      <h2 id="figures">About the figures</h2>
      <dl class="terms">
        <div>
          <dt>How they are made</dt>
          <dd>
            Each client is generated from the document of the cases, with the settings that its makers give. A program
            without calls written by hand lets it call each case once. The figures say nothing about what a client is
            worth: who never uses a style loses nothing if the client does not know it.
          </dd>
        </div>
        <div>
          <dt>What is left out</dt>
          <dd>
            Open cases are in no figure. What a client leaves to its user, and cases at which its generator stops, count
            as not passed. Cases that are newer than the run of a client are in none of its figures. Its page lists all
            of these. A client that does not read OpenAPI 3.2 is left out there.
          </dd>
        </div>
        <div>
          <dt>If a cell is wrong</dt>
          <dd>
            Read the section that decides the case, then the request. If the specification allows what was sent, the
            judge is too strict: open an issue with the case, the client and the sentence that allows it. If a newer
            version or another setting sends something else, open an issue with the command that repeats the run. The
            page of the client has it.
          </dd>
        </div>
      </dl>
    </>
  )
}
