import type { Difference, Line } from '../../laboratory/difference.ts'

/** What was received above what was expected, as src/design/sides.tsx shows it. */
export function Sides({ sides: { received, expected, isBinary, at } }: { sides: Difference }) {
  return (
    <section class="scroll-x lab-sides" tabindex={0} aria-label="received and expected">
      <table>
        <tbody>
          <tr>
            <th scope="row">
              received
              {isBinary && <span class="soft"> (binary)</span>}
              {at !== null && <span class="soft"> byte {at}</span>}
            </th>
            <td>
              <Side side={received} />
            </td>
          </tr>
          {expected !== null && (
            <tr>
              <th scope="row">expected</th>
              <td>
                <Side side={expected} />
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  )
}

function Side({ side }: { side: Line | string }) {
  if (typeof side === 'string') return <em>{side}</em>
  const { isCutBefore, before, marked, after, isCutAfter } = side
  return (
    <code>
      {isCutBefore && '…'}
      {before}
      {marked !== '' && <mark>{marked}</mark>}
      {after}
      {isCutAfter && '…'}
    </code>
  )
}
