import type { Difference, Line } from '../../laboratory/difference.ts'

/**
 * What was received above what was expected, in columns of the same bytes. browser/lab/sides.tsx shows the same.
 *
 * @param sent The word for what was received
 * @param name What they are about, if a page has several
 */
export function Sides({ sides, sent = 'received', name }: { sides: Difference; sent?: string; name?: string }) {
  const { received, expected, isBinary, at } = sides
  return (
    <section
      class="scroll-x lab-sides"
      tabindex={0}
      aria-label={`${name === undefined ? '' : `${name}: `}${sent} and expected`}
    >
      <table>
        <tbody>
          <tr>
            <th scope="row">
              {sent}
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

/** One side, or the words for it. */
export function Side({ side }: { side: Line | string }) {
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
