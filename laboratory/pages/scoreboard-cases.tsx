import { anchorOf } from '../anchor.ts'
import { GROUPS } from '../case.ts'
import { unaskedOf } from '../scoreboard/failures.ts'
import { type Cell, hasFailed } from '../scoreboard/results.ts'
import type { ClientView } from '../scoreboard/view.ts'
import type { Case } from '../suite/declare.ts'
import { CASES } from '../suite/suite.ts'
import { Board, clientPath, LanguageChoice, VersionChoice } from './scoreboard-clients.tsx'
import { LEGEND, WORDS } from './words.ts'

const LEVELS = ['core', 'extended', 'open'] as const

/** What is shown of the table, which the script of the page shows. */
export function CaseFilter({ clients }: { clients: readonly ClientView[] }) {
  return (
    <div class="board-filter" data-filter hidden>
      <Choice name="level" label="Level" values={LEVELS} />
      <Choice name="group" label="Group" values={GROUPS} />
      <LanguageChoice />
      <VersionChoice />
      <label>
        Text
        <input type="search" name="text" autocomplete="off" />
      </label>
      <label>
        <input type="checkbox" name="differ" /> Only where clients differ
      </label>
      <span class="soft" role="status" data-count />
      <details class="board-chosen">
        <summary>
          Clients to compare (<span data-chosen>all</span>)
        </summary>
        <button type="button" data-none>
          Choose none
        </button>
        <ul>
          {clients.map(({ name }) => (
            <li>
              <label>
                <input type="checkbox" name="clients" value={name} /> {name}
              </label>
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}

function Choice({ name, label, values }: { name: string; label: string; values: readonly string[] }) {
  return (
    <label>
      {label}
      <select data-choice={name}>
        <option value="">all</option>
        {values.map((value) => (
          <option>{value}</option>
        ))}
      </select>
    </label>
  )
}

export function Legend({ clients }: { clients: readonly ClientView[] }) {
  const isComplete = clients.every((client) => unaskedOf(client).length === 0)
  const legend = LEGEND.filter(([sign]) => sign !== 'unasked' || !isComplete)
  return (
    <ul class="board-legend" aria-label="Signs">
      {legend.map(([sign, meaning]) => (
        <li class={sign}>
          <span>{meaning}</span>
        </li>
      ))}
    </ul>
  )
}

/** The table of the cases, with a column for each client. */
export function Cases({ clients }: { clients: readonly ClientView[] }) {
  return (
    <Board label="Cases">
      <table class="board-cases" id="case-table">
        <thead>
          <tr>
            <th scope="col">Case</th>
            {clients.map(({ name, language, board }) => (
              <th scope="col" data-client={name} data-language={language} data-openapi={board}>
                <a href={clientPath(name)}>{name}</a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {CASES.map((spec) => (
            <tr
              data-group={spec.group}
              data-level={spec.level}
              data-openapi={spec.versions.join(' ')}
              data-title={spec.title}
            >
              <th scope="row">
                <a href={`/lab/cases/${spec.id}`}>{spec.id}</a> <span class="soft">{spec.level}</span>
              </th>
              {clients.map(({ name, board, cells }) =>
                spec.versions.includes(board) ? <SignCell cell={cells[spec.id]} spec={spec} client={name} /> : <td />,
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Board>
  )
}

/** A sign, which leads to its evidence. What passed or was not asked has none. An open case cannot fail. */
function SignCell({ cell, spec, client }: { cell: Cell | undefined; spec: Case; client: string }) {
  const verdict = cell && spec.level === 'open' && hasFailed(cell) ? 'info' : (cell?.verdict ?? 'unasked')
  const word = <span class="visually-hidden">{WORDS[verdict]}</span>
  return (
    <td class={verdict}>
      {verdict === 'pass' || verdict === 'unasked' ? (
        word
      ) : (
        <a href={`${clientPath(client)}#${anchorOf(spec.id)}`}>{word}</a>
      )}
    </td>
  )
}
