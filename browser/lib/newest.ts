// The lists of the API begin with the oldest item. A log is read from the newest one.

/** A part of a list, as the query of the API names it. */
export interface Slice {
  offset: number
  limit: number
}

/** A page of a list, as the API returns it. */
export interface ListPage<Item> {
  data: Item[]
  meta: { total: number; next: string | null }
}

/**
 * The position of a page in a list. Page 1 has the newest items, the last page has the oldest ones.
 *
 * @param total The length of the list
 * @param page If the list has fewer pages, the last one is meant
 * @param size The maximum number of items on a page
 */
export function sliceOfPage(total: number, page: number, size: number): Slice {
  const newerPages = Math.min(page, countPages(total, size)) - 1
  /** The offset after the newest item of the page. */
  const end = total - newerPages * size
  // The last page can be shorter, and must not repeat items of the newer page. The first page always has the full
  // limit: that is room for items that arrive before the page is read.
  const limit = page <= 1 ? size : Math.min(size, end)
  return { offset: Math.max(0, end - size), limit }
}

/** How many pages a list has, at least one. */
export function countPages(total: number, size: number): number {
  return Math.max(1, Math.ceil(total / size))
}

/**
 * Reads a page of a list, newest item first. If the list does not have the expected length, the page may be at another
 * position. Then it is read once more, from there.
 *
 * @param page As in `sliceOfPage`
 * @param expected The length of the list when it was last read; 0 if it was not read yet
 */
export async function readNewest<Item>(
  read: (slice: Slice) => Promise<ListPage<Item>>,
  { page, size, expected }: { page: number; size: number; expected: number },
): Promise<{ items: Item[]; total: number; slice: Slice }> {
  let slice = sliceOfPage(expected, page, size)
  let answer = await read(slice)
  const actual = sliceOfPage(answer.meta.total, page, size)
  if (actual.offset !== slice.offset || actual.limit !== slice.limit) {
    slice = actual
    answer = await read(slice)
  }
  return { items: answer.data.toReversed(), total: answer.meta.total, slice }
}
