import { z } from 'zod'
import { countBytes } from '../../lib/text.ts'
import { itemOf, PAGE_MAX_BYTES } from '../../schemas/page.ts'
import type { Format } from './formats.ts'
import type { PageBody } from './reply.ts'

/** Of UTF-8 for a character of a string, which is a UTF-16 unit. */
const CHARACTER_MAX_BYTES = 3

/**
 * Writes as many items of a page as have PAGE_MAX_BYTES together, at least one, and the envelope that fits them. What is
 * stored can be many times larger when it is written (names in XML, references to a planet), so only what was written tells
 * where a page ends. Each item is written once, and none behind the first that there is no room for.
 */
export function writePage(
  page: PageBody,
  schema: z.ZodType,
  format: Format,
): { text: string; headers: Readonly<Record<string, string>> } {
  const items = writeItems(page.items, itemOf(schema), format)
  const { others, headers } = page.envelope(items.length)
  const { data: _empty, ...shown } = Object(schema.parse({ ...others, data: [] }))
  return { text: format.writeList(items, shown, schema), headers }
}

function writeItems(items: readonly unknown[], schema: z.core.$ZodType, { writeItem }: Format): string[] {
  const written: string[] = []
  let bytes = 0
  // A usual page is so small that its characters need not be counted as bytes.
  let isExact = false
  for (const item of items) {
    const text = writeItem(z.parse(schema, item))
    bytes += isExact ? countBytes(text) : text.length * CHARACTER_MAX_BYTES
    if (bytes > PAGE_MAX_BYTES && !isExact) {
      isExact = true
      bytes = countBytes(written.join('')) + countBytes(text)
    }
    if (bytes > PAGE_MAX_BYTES && written.length > 0) return written
    written.push(text)
  }
  return written
}
