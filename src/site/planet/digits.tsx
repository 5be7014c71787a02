/**
 * A figure, rounded. All its digits appear if the pointer is on it, and if the reader chooses so, which also lets them be
 * copied. The style reads the choice, so it needs no script.
 */
export function Digits({ rounded, exact }: { rounded: string; exact: string }) {
  if (rounded === exact) return <>{exact}</>
  return (
    <>
      <span class="rounded" title={exact}>
        {rounded}
      </span>
      <span class="exact">{exact}</span>
    </>
  )
}

/** The choice of all digits. It is valid in the element `.columns` around it. */
export function DigitsChoice() {
  return (
    <label class="box">
      <input type="checkbox" class="all-digits" />
      Show all digits
    </label>
  )
}
