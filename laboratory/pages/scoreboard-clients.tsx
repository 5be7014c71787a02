import type { Child } from 'hono/jsx'
import { GROUPS } from '../case.ts'
import { BOARDS, SHOWN_LANGUAGES } from '../scoreboard/results.ts'
import type { ClientView } from '../scoreboard/view.ts'
import { Score } from './score.tsx'

export const clientPath = (name: string) => `/lab/scoreboard/${name}`

/** A choice of the language, which the script of the page shows. */
export function LanguageChoice() {
  return (
    <label>
      Language
      <select data-choice="language">
        <option value="">all</option>
        {SHOWN_LANGUAGES.map((language) => (
          <option>{language}</option>
        ))}
      </select>
    </label>
  )
}

/** A table that scrolls. Where it is a box of its own, the script of the page marks the edges behind which there is more. */
export function Board({ label, children }: { label: string; children?: Child }) {
  return (
    <div class="board-frame">
      <section class="board" tabindex={0} aria-label={label}>
        {children}
      </section>
    </div>
  )
}

/** A choice of the version of OpenAPI, which the script of the page shows. The first one is chosen at first. */
export function VersionChoice() {
  return (
    <label>
      OpenAPI
      <select data-choice="openapi">
        {BOARDS.map((version) => (
          <option>{version}</option>
        ))}
      </select>
    </label>
  )
}

/** The table of the clients. `data-sort` names the order by a column (browser/scoreboard). */
export function Clients({ clients }: { clients: readonly ClientView[] }) {
  return (
    <Board label="Clients">
      <table class="board-clients" id="client-table">
        <thead>
          <tr>
            <th scope="col" data-sort="client">
              Client
            </th>
            <th scope="col" data-sort="core" aria-sort="descending">
              core
            </th>
            <th scope="col" data-sort="extended">
              extended
            </th>
            {GROUPS.map((group) => (
              <th scope="col" class="board-group" data-sort={group}>
                {group}
              </th>
            ))}
            <th scope="col" data-sort="language">
              Language
            </th>
            <th scope="col">Version</th>
          </tr>
        </thead>
        <tbody>
          {clients.map((client) => (
            <Client client={client} />
          ))}
        </tbody>
      </table>
    </Board>
  )
}

function Client({ client: { name, language, version, board, levels, groups } }: { client: ClientView }) {
  const figures = [levels.core, levels.extended]
  return (
    <tr data-language={language} data-openapi={board}>
      <th scope="row">
        <a href={clientPath(name)}>{name}</a>
      </th>
      {figures.map((count) => (
        <td class="board-level" data-figure={count.passed}>
          <Score count={count} />
        </td>
      ))}
      {GROUPS.map((group) => (
        <td class="board-group" data-figure={groups[group].passed}>
          <Score count={groups[group]} />
        </td>
      ))}
      <td>{language}</td>
      <td class="board-version">{version}</td>
    </tr>
  )
}
