import { describe, expect, it } from 'vitest'
import { PAGE_MAX_BYTES } from '../../../src/schemas/page.ts'
import { cutPage } from '../../../src/stores/cut-page.ts'

const HALF = PAGE_MAX_BYTES / 2

/** The number of rows on a page of rows with these sizes. */
const countOf = (sizes: number[], before?: number) => cutPage(sizes, (size) => size, before).length

describe('a page has', () => {
  it.each([
    [[HALF, HALF], 2],
    [[HALF, HALF, 1], 2],
    [[HALF, HALF + 1, 1], 1],
    [[], 0],
  ])('rows of 1 MiB together, and not one byte more: %j', (sizes, count) => {
    expect(countOf(sizes)).toBe(count)
  })

  it('at least one row, however large it is', () => {
    expect(countOf([PAGE_MAX_BYTES + 1, 1])).toBe(1)
  })

  it('no row if it has no room left after others', () => {
    expect(countOf([HALF, HALF], HALF)).toBe(1)
    expect(countOf([HALF + 1], HALF)).toBe(0)
    expect(countOf([1], 0)).toBe(1)
  })

  it('rows estimated by the bytes of their JSON, if nothing else is known', () => {
    const sized = (bytes: number) => 'é'.repeat((bytes - '""'.length) / 2)
    expect(cutPage([sized(HALF), sized(HALF), sized(4)])).toHaveLength(2)
    expect(cutPage([sized(HALF), sized(HALF + 2)])).toHaveLength(1)
  })
})
