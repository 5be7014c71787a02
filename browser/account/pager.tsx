import { countPages } from '../lib/newest.ts'

interface PagerProps {
  page: number
  total: number
  size: number
  hashOfPage(page: number): string
}

/** Links to the neighbours of a page of a log. Nothing if there is only one page. */
export function Pager({ page, total, size, hashOfPage }: PagerProps) {
  const last = countPages(total, size)
  // The address can name a page that the log does not have. Then the last page is shown.
  const shown = Math.min(page, last)
  if (last === 1) return null
  return (
    <nav class="row pager" aria-label="Pages">
      {shown > 1 && <a href={hashOfPage(shown - 1)}>Newer</a>}
      <span>
        Page {shown} of {last}, {total} in all
      </span>
      {shown < last && <a href={hashOfPage(shown + 1)}>Older</a>}
    </nav>
  )
}
