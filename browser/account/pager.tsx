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
  if (last === 1) return null
  return (
    <nav class="row pager" aria-label="Pages">
      {page > 1 && <a href={hashOfPage(page - 1)}>Newer</a>}
      <span>
        Page {Math.min(page, last)} of {last}, {total} in all
      </span>
      {page < last && <a href={hashOfPage(page + 1)}>Older</a>}
    </nav>
  )
}
