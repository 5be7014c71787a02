import { Sides } from '../../src/design/sides.tsx'
import { WithCode } from '../../src/design/with-code.tsx'
import { anchorOf } from '../anchor.ts'
import { compareSides, escapeControls } from '../difference.ts'
import { judgedCaseOf } from '../documents/judged.ts'
import type { PlacedCell } from '../scoreboard/failures.ts'
import { ruleOf } from '../suite/rules.ts'
import { Decision } from './parts.tsx'
import { sayWhatCame } from './what-came.ts'
import { WORDS } from './words.ts'

/**
 * What a client sent to a case, beside what was expected. Its id is the anchor of the case.
 *
 * @param cause Why it failed. It is shown to those who come by the anchor, because its heading is out of sight then
 */
export function Evidence({ placed: { spec, cell }, cause }: { placed: PlacedCell; cause?: string | undefined }) {
  const { id, title } = spec
  const { verdict, reason, error } = cell
  return (
    <div class="evidence" id={anchorOf(id)}>
      {cause !== undefined && (
        <p class="evidence-cause">
          <WithCode text={cause} />
        </p>
      )}
      <p>
        <a href={`/lab/cases/${id}`}>
          <code>{id}</code>
        </a>{' '}
        <span class="soft">
          {WORDS[verdict]}. <WithCode text={title} />.
        </span>
      </p>
      <Sent placed={{ spec, cell }} />
      {(reason ?? error) !== undefined && (
        <p>
          {reason !== undefined && (
            <>
              <WithCode text={escapeControls(reason)} />{' '}
            </>
          )}
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
  const { part, received = null, encoding = null, at = null } = cell
  const words = sayWhatCame(spec, cell)
  // Without a difference in bytes, the first request of a retry would be shown beside its equal.
  const isEqual = spec.retry !== undefined && at === null
  const sides = isEqual ? undefined : compareSides(judgedCaseOf(spec), { part, received, encoding, at })
  return (
    <>
      {words !== undefined && (
        <p>
          <em>{words}</em>
        </p>
      )}
      {sides && <Sides sides={sides} sent="sent" name={spec.id} />}
    </>
  )
}

/** Evidence of several cases: of the first one, and of the others on demand. */
export function EvidenceList({
  cells: [first, ...others],
  cause,
}: {
  cells: readonly PlacedCell[]
  cause?: string | undefined
}) {
  if (!first) return null
  return (
    <>
      <Evidence placed={first} cause={cause} />
      {others.length > 0 && (
        <details class="lab-cases">
          <summary>{others.length === 1 ? 'The other case' : `The other ${others.length} cases`}</summary>
          {others.map((placed) => (
            <Evidence placed={placed} cause={cause} />
          ))}
        </details>
      )}
    </>
  )
}
