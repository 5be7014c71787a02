import type * as z from 'zod'
import { membersOf } from '../../lib/objects.ts'
import { CODE_UNIT_MAX_BYTES, countBytes } from '../../lib/text.ts'
import { declaredPart } from '../../schemas/declared-part.ts'
import { itemOf, PAGE_MAX_BYTES } from '../../schemas/page.ts'
import type { Format } from './formats.ts'
import type { PageBody } from './reply.ts'

/**
 * As many items as fit into PAGE_MAX_BYTES (src/http/README.md), at least one, and the envelope for them.
 *
 * @param basePath The beginning of the links to other pages
 */
export function writePage(
  page: PageBody,
  schema: z.ZodType,
  format: Format,
  basePath: string,
): { text: string; headers: Readonly<Record<string, string>> } {
  const items = writeItems(page.items, schema, format)
  const { others, headers } = page.envelope(items.length, basePath)
  return { text: writeEnvelope(items, others, schema, format), headers }
}

/**
 * Writes as many items as fit into PAGE_MAX_BYTES, at least one.
 *
 * @param schema That of the page
 */
export function writeItems(items: readonly unknown[], schema: z.ZodType, format: Format): string[] {
  return writeFitting(items, itemOf(schema), format)
}

/** Writes the document of a page. @param items Those of `writeItems` @param others Its other members */
export function writeEnvelope(items: readonly string[], others: object, schema: z.ZodType, format: Format): string {
  // `declaredPart` expects a list of items. It is empty and is removed again, because the items are already written.
  const { data: _empty, ...declaredOthers } = membersOf(declaredPart(schema, { ...others, data: [] }))
  return format.writeList(items, declaredOthers, schema)
}

function writeFitting(items: readonly unknown[], schema: z.core.$ZodType, { writeItem }: Format): string[] {
  const writtenItems: string[] = []
  let bytes = 0
  // First, an upper estimate of the size. If it exceeds the limit, the bytes are counted.
  let isExact = false
  for (const item of items) {
    const text = writeItem(declaredPart(schema, item))
    bytes += isExact ? countBytes(text) : text.length * CODE_UNIT_MAX_BYTES
    if (bytes > PAGE_MAX_BYTES && !isExact) {
      isExact = true
      bytes = countBytes(writtenItems.join('')) + countBytes(text)
    }
    if (bytes > PAGE_MAX_BYTES && writtenItems.length > 0) return writtenItems
    writtenItems.push(text)
  }
  return writtenItems
}
