import * as z from 'zod'
import { doc } from '#doc'

// A page is a part of a list: at most `limit` items, from `offset`.

export const LIMIT_DEFAULT = 10
export const LIMIT_MAX = 100

/**
 * Maximum size of a page's items in bytes, both as stored and as written. The first item belongs to the page even if it
 * alone is larger.
 */
export const PAGE_MAX_BYTES = 1024 * 1024

/** A query parameter that is an integer from `minimum` to 2^53 - 1, in decimal digits. -0 is 0. */
const integerParameter = (minimum: number, example: number) =>
  z
    // The value of a parameter that was sent more than once is a list.
    .string('must be sent only once')
    .refine(
      (value) => /^(?:[0-9]+|-0)$/.test(value) && Number.isSafeInteger(Number(value)) && Number(value) >= minimum,
      `must be an integer from ${minimum} to 2^53 - 1`,
    )
    .transform((value) => Number(value) + 0)
    .meta({ type: 'integer', minimum, maximum: Number.MAX_SAFE_INTEGER, examples: [example] })

/** A `limit` above LIMIT_MAX is treated as LIMIT_MAX. */
export const PageQuery = z.object({
  limit: integerParameter(1, LIMIT_DEFAULT)
    .transform((limit) => Math.min(limit, LIMIT_MAX))
    .meta({
      description: doc(
        `The number of items to return, at most ${LIMIT_MAX}. A page can have fewer items, because it ends at 1 MiB of items, measured as stored or as written in the format of the response. The first item is always sent, even if it is larger.`,
      ),
    })
    .default(LIMIT_DEFAULT),
  offset: integerParameter(0, 0)
    .meta({ description: doc('The number of items to skip before starting to collect the result set') })
    .default(0),
})

const PageMeta = z
  .object({
    limit: z.int().meta({
      description: doc('The requested limit. `data` can have fewer items, even if more follow.'),
      examples: [LIMIT_DEFAULT],
    }),
    offset: z.int().meta({ examples: [0] }),
    total: z.int().meta({ examples: [100] }),
    next: z
      .string()
      .meta({ format: 'uri-reference' })
      .nullable()
      .meta({
        description: doc(
          'The relative path of the next page, or null on the last page. The next page begins where this page ended, even if this page ended early at 1 MiB of items. The same page can end at another item in another format.',
        ),
        examples: ['/planets?limit=10&offset=10'],
      }),
  })
  .meta({ id: 'PageMeta' })

/** The position of a page in a list that can be read by cursor. */
export const CursorPageMeta = PageMeta.extend({
  nextCursor: z
    .string()
    .nullable()
    .meta({
      description: doc(
        'Where the next page begins, as the parameter `cursor`, or null on the last page. It counts no planets, so nothing that stays unchanged is skipped or repeated if others are created or deleted meanwhile.',
      ),
      examples: ['dUj0OHfVkVJmZ5xhW251bGwsMTBd'],
    }),
}).meta({ id: 'CursorPageMeta' })

/** The schema of a page: its items (`data`), and the position of the page in the list (`meta`). */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), meta: PageMeta })
}

/** @throws Error if the schema was not created by `pageOf`. This is a defect of the service. */
export function itemOf(page: z.ZodType): z.core.$ZodType {
  const list = page instanceof z.ZodObject ? page.shape.data : undefined
  if (list instanceof z.ZodArray) return list.element
  throw new Error(`the schema ${page.meta()?.id ?? 'without an id'} is not the schema of a page`)
}

export type PageQuery = z.infer<typeof PageQuery>
