import { Sides } from '../../src/design/sides.tsx'
import { anchorOf } from '../anchor.ts'
import { compareSides, escapeControls } from '../difference.ts'
import { judgedCaseOf } from '../documents/judged.ts'
import type { PlacedCell } from '../scoreboard/failures.ts'
import { ruleOf } from '../suite/rules.ts'
import { Decision } from './parts.tsx'
import { WORDS } from './words.ts'

/** What a client sent to a case, beside what was expected. Its id is the anchor of the case. */
export function Evidence({ placed: { spec, cell } }: { placed: PlacedCell }) {
  const { id, title } = spec
  const { verdict, reason, error } = cell
  return (
    <div class="evidence" id={anchorOf(id)}>
      <p>
        <a href={`/lab/cases/${id}`}>
          <code>{id}</code>
        </a>{' '}
        <span class="soft">
          {WORDS[verdict]}. {title}.
        </span>
      </p>
      <Sent placed={{ spec, cell }} />
      {(reason ?? error) !== undefined && (
        <p>
          {reason !== undefined && `${escapeControls(reason)} `}
          {error !== undefined && (
            <>
              The client says: <code>{escapeControls(error)}</code>
            </>
          )}
        </p>
      )}
      <p class="soft">
        What decides it: <Decision rule={ruleOf(spec, cell.part)} />
      </p>
    </div>
  )
}

function Sent({ placed: { spec, cell } }: { placed: Pick<PlacedCell, 'spec' | 'cell'> }) {
  const { verdict, part, received = null, encoding = null, at = null } = cell
  const sides = compareSides(judgedCaseOf(spec), { part, received, encoding, at })
  if (sides) return <Sides sides={sides} sent="sent" name={spec.id} />
  if (verdict === 'missing') return <NoRequest text="No request came." />
  return verdict === 'incomplete' ? <NoRequest text="The first request came, and not the second one." /> : null
}

const NoRequest = ({ text }: { text: string }) => (
  <p>
    <em>{text}</em>
  </p>
)

/** Evidence of several cases: of the first one, and of the others on demand. */
export function EvidenceList({ cells: [first, ...others] }: { cells: readonly PlacedCell[] }) {
  if (!first) return null
  return (
    <>
      <Evidence placed={first} />
      {others.length > 0 && (
        <details class="lab-cases">
          <summary>{others.length === 1 ? 'The other case' : `The other ${others.length} cases`}</summary>
          {others.map((placed) => (
            <Evidence placed={placed} />
          ))}
        </details>
      )}
    </>
  )
}
