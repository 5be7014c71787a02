/** The mark of Galaxy: a planet with a ring, which passes behind the planet and then in front of it. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <g transform="rotate(-20 16 16)">
        <path class="mark-ring" d="M1 16a15 4 0 0 1 30 0" />
        <circle class="mark-planet" cx="16" cy="16" r="9" />
        <path class="mark-ring" d="M1 16a15 4 0 0 0 30 0" />
      </g>
    </svg>
  )
}

/** The mark as the icon of every page, so that browsers do not request /favicon.ico. */
export const ICON = toDataUrl(
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><g transform='rotate(-20 16 16)' fill='none' stroke='#7f93d6' stroke-width='2'><path d='M1 16a15 4 0 0 1 30 0'/><circle cx='16' cy='16' r='9' fill='#e0793a' stroke='none'/><path d='M1 16a15 4 0 0 0 30 0'/></g></svg>",
)

/** RFC 2397, with only the characters that a URL may contain (RFC 3986, section 2). */
function toDataUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
