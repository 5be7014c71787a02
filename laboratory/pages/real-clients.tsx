import { Side } from '../../src/design/sides.tsx'
import { anchorOf } from '../anchor.ts'
import { compareSides } from '../difference.ts'
import { judgedCaseOf } from '../documents/judged.ts'
import type { Cell, Scoreboard } from '../scoreboard/results.ts'
import type { Case } from '../suite/declare.ts'

/** The verdicts in their order, and the words for them. Their signs are in browser/styles/bench.css. */
const WORDS: Readonly<Record<Cell['verdict'], string>> = {
  pass: 'pass',
  'non-strict': 'non-strict',
  fail: 'fail',
  incomplete: 'not finished',
  missing: 'no request to judge',
  info: 'info',
  skipped: 'left to the user of the client',
  stops: 'the generator stops',
}

/** What arrived from the clients of the scoreboard: a line for each form, with the clients that sent it. */
export function RealClients({ spec, scoreboard }: { spec: Case; scoreboard: Scoreboard }) {
  const cells = Object.values(scoreboard).flatMap((clients) =>
    Object.entries(clients).flatMap(([client, { cells }]) => {
      const cell = cells[spec.id]
      return cell ? [{ client, cell }] : []
    }),
  )
  if (cells.length === 0) return <p>No client of the scoreboard has called it yet.</p>
  const order = Object.keys(WORDS)
  const forms = [...Map.groupBy(cells, ({ cell }) => formOf(cell)).values()].toSorted(
    ([one], [other]) => order.indexOf(one?.cell.verdict ?? '') - order.indexOf(other?.cell.verdict ?? ''),
  )
  return (
    <ul class="bench-forms">
      {forms.map((sent) => (
        <Form spec={spec} sent={sent} />
      ))}
    </ul>
  )
}

/** What is the same for all clients of a line. */
function formOf({ verdict, received, encoding, part }: Cell): string {
  return JSON.stringify([verdict, received, encoding, part])
}

function Form({ spec, sent }: { spec: Case; sent: readonly { client: string; cell: Cell }[] }) {
  const [first] = sent
  if (!first) return null
  const { verdict, part, received = null, encoding = null, at = null } = first.cell
  const sides = compareSides(judgedCaseOf(spec), { part, received, encoding, at })
  const anchor = verdict === 'pass' ? '' : `#${anchorOf(spec.id)}`
  return (
    <li>
      <span class={`bench-sign ${verdict}`}>{WORDS[verdict]}</span>{' '}
      {sides && (
        <span class="bench-line">
          <Side side={sides.received} />
        </span>
      )}{' '}
      <span class="soft">
        {sent.map(({ client }, index) => (
          <>
            {index > 0 && ', '}
            <a href={`/lab/scoreboard/${client}${anchor}`}>{client}</a>
          </>
        ))}
      </span>
    </li>
  )
}
