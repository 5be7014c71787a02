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
 * The position of the newest items in a list.
 *
 * @param total The length of the list
 * @param page Counted from 1, which has the newest items
 */
export function newestSlice(total: number, page: number, size: number): Slice {
  const last = countPages(total, size)
  const end = Math.max(0, total - (Math.min(page, last) - 1) * size)
  // The first page has room for items that arrive before it is read.
  return { offset: Math.max(0, end - size), limit: page <= 1 ? size : Math.min(size, end) }
}

/** How many pages a list has, at least one. */
export function countPages(total: number, size: number): number {
  return Math.max(1, Math.ceil(total / size))
}

/**
 * Reads a page of a list, newest item first. It takes a second read if the length of the list is not as expected.
 *
 * @param expected The length of the list when it was last read, or 0
 */
export async function readNewest<Item>(
  read: (slice: Slice) => Promise<ListPage<Item>>,
  { page, size, expected }: { page: number; size: number; expected: number },
): Promise<{ items: Item[]; total: number; slice: Slice }> {
  let slice = newestSlice(expected, page, size)
  let answer = await read(slice)
  const actual = newestSlice(answer.meta.total, page, size)
  if (actual.offset !== slice.offset || actual.limit !== slice.limit) {
    slice = actual
    answer = await read(slice)
  }
  return { items: answer.data.toReversed(), total: answer.meta.total, slice }
}
