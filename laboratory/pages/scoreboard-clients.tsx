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
    <section class="board" tabindex={0} aria-label="Clients">
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
            <th scope="col" data-sort="language">
              Language
            </th>
            <th scope="col">Version</th>
            {GROUPS.map((group) => (
              <th scope="col" class="board-group" data-sort={group}>
                {group}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {clients.map((client) => (
            <Client client={client} />
          ))}
        </tbody>
      </table>
    </section>
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
      <td>{language}</td>
      <td class="board-version">{version}</td>
      {GROUPS.map((group) => (
        <td class="board-group" data-figure={groups[group].passed}>
          <Score count={groups[group]} />
        </td>
      ))}
    </tr>
  )
}
