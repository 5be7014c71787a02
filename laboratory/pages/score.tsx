import type { Count } from '../scoreboard/view.ts'

/** How many cases passed, as a bar before the figure that says the same. */
export function Score({ count: { passed, cases } }: { count: Count }) {
  return (
    <>
      <svg class="score-bar" viewBox={`0 0 ${cases} 1`} preserveAspectRatio="none" aria-hidden="true">
        <rect width={passed} height="1" />
      </svg>
      <span class="score">
        {passed}/{cases}
      </span>
    </>
  )
}
