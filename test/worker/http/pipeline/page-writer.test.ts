import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { replyList } from '../../../../src/http/pagination.ts'
import { ALL_FORMATS, FORMATS } from '../../../../src/http/pipeline/formats.ts'
import { writePage } from '../../../../src/http/pipeline/page-writer.ts'
import { PAGE_MAX_BYTES, pageOf } from '../../../../src/schemas/page.ts'

const Things = pageOf(z.object({ text: z.string() }))
  .extend({ note: z.string() })
  .meta({ xml: { name: 'things' } })

const page = (items: { text: string }[], note = '') =>
  replyList('/things', { limit: 100, offset: 0 }, items, 100).body.with({ note })

const sizeOf = (text: string) => new TextEncoder().encode(text).byteLength

describe.each(ALL_FORMATS)('a page in %s', (name) => {
  const format = FORMATS[name]
  const write = (items: { text: string }[], note?: string) => writePage(page(items, note), Things, format, '')
  const read = (text: string) => Things.parse(format.parse(text, Things).value)
  const empty = sizeOf(format.writeItem({ text: '' }))
  /**
   * An item of a given length in bytes when written. It uses characters of two bytes, to show that bytes are counted.
   */
  const sized = (bytes: number) => ({ text: `${'é'.repeat((bytes - empty) >> 1)}${(bytes - empty) % 2 ? '-' : ''}` })
  const half = PAGE_MAX_BYTES / 2

  it('is the same document as one written in a single piece', () => {
    const items = [{ text: '<&>' }, { text: '"' }, { text: '' }]
    const { others } = page(items, 'a note').envelope(3, '')
    expect(write(items, 'a note').text).toBe(format.write({ data: items, ...others }, Things))
    const none = page([]).envelope(0, '').others
    expect(write([]).text).toBe(format.write({ data: [], ...none }, Things))
  })

  it.each([
    [[half, half], 2],
    [[half, half, 60], 2],
    [[half, half + 1], 1],
    [[60, half, half], 2],
    [[PAGE_MAX_BYTES, 60], 1],
    [[PAGE_MAX_BYTES + 1, 60], 1],
    [[4 * PAGE_MAX_BYTES], 1],
  ])('has as many items as fit into 1 MiB, and at least one: of %j', (sizes, count) => {
    const items = sizes.map(sized)
    expect(items.map((item) => sizeOf(format.writeItem(item)))).toEqual(sizes)
    const { text, headers } = write(items)
    const { data, meta } = read(text)
    expect(data).toEqual(items.slice(0, count))
    expect(meta.next).toBe(`/things?limit=100&offset=${count}`)
    expect(headers.Link).toContain(`<${meta.next}>; rel="next"`)
  })

  it('writes no item after the first that does not fit', () => {
    const read: number[] = []
    const items = Array.from({ length: 100 }, (_, index) => ({
      get text() {
        read.push(index)
        return sized(half - 1).text
      },
    }))
    write(items)
    expect([...new Set(read)]).toEqual([0, 1, 2])
  })

  it('does not send members that its schema does not name', () => {
    const items = [{ text: 'a', secret: 'b' }]
    const leaking = replyList('/things', { limit: 1, offset: 0 }, items, 1).body.with({ note: '', secret: 'c' })
    expect(writePage(leaking, Things, format, '').text).not.toContain('secret')
  })
})

it('writes a page only if the schema is the schema of a page', () => {
  const Other = z.object({ text: z.string() }).meta({ id: 'Other' })
  expect(() => writePage(page([]), Other, FORMATS.json, '')).toThrow('the schema Other is not the schema of a page')
})
