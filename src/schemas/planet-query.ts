import * as z from 'zod'
import { doc } from '#doc'
import { MEMBERS_MAX } from '../domain/limits.ts'
import { toDouble } from '../lib/doubles.ts'
import { findUnserialisable } from '../lib/text.ts'
import { checkAlways, text } from './fields.ts'
import { LIMIT_DEFAULT, LIMIT_MAX, PageQuery } from './page.ts'
import { Planet, PlanetProperties } from './planet.ts'

// Which planets a caller wants, in which order, and which part of them. It comes as parameters, as JSON in a query
// string, as JSON in the content of a request, or as a form. Each of them becomes the same value.

/** Maximum length of a cursor in characters: enough for the longest name, and what surrounds it. */
export const CURSOR_MAX = 2048

const PlanetKind = PlanetProperties.shape.type.unwrap()

const PlanetSort = z.enum(['name', '-name', 'habitabilityIndex', '-habitabilityIndex']).meta({
  id: 'PlanetSort',
  examples: ['name'],
  // In some languages, `name` of an enum is taken.
  'x-enum-varnames': ['Name', 'NameDescending', 'HabitabilityIndex', 'HabitabilityIndexDescending'],
})
export type PlanetSort = z.infer<typeof PlanetSort>

/** A name of a member of a planet, at the top level. */
const PlanetField = z.enum(Object.keys(Planet.shape) as [keyof Planet, ...(keyof Planet)[]]).meta({
  id: 'PlanetField',
  examples: ['name'],
  'x-enum-varnames': Object.keys(Planet.shape).map((name) => name.replace(/^./, (letter) => letter.toUpperCase())),
})
export type PlanetField = z.infer<typeof PlanetField>

/**
 * A number that is only compared, so that -0 is 0 and loses nothing. It arrives as NaN, which no other number does
 * (lib/doubles.ts).
 */
function orNegativeZero<Member extends z.ZodType>(member: Member) {
  return z.preprocess((value) => (Number.isNaN(value) ? 0 : value), member)
}

const NAME = doc('Part of the name. ASCII letters match without case, everything else exactly. Empty: every name')
const TYPE = doc('The types. A planet without type does not match. Empty: every planet')
const INDEX = doc('The lowest habitability index. A planet without index does not match')
const SORT = doc(
  'The order: by name (by code points, ASCII letters in lower case) or by habitability index, with `-` descending. Planets without index come last. Ties, and without this member all planets, are in order of id.',
)
const FIELDS = doc('The members that each planet has. `id`, `name` and `lastUpdated` are always sent.')
const CURSOR = doc(
  'Where to go on: `meta.nextCursor` of the page before, with the same filter and order. What stays unchanged comes exactly once, whatever is created or deleted meanwhile.',
)
const FEW = `must have at most ${MEMBERS_MAX} members`
const INDEX_RANGE = 'must be from 0 to 1'

const name = text(0, 200)
  .refine((value) => !findUnserialisable(value), {
    error: ({ input }) => `contains ${findUnserialisable(String(input))}, which is not allowed in texts`,
  })
  .meta({ description: NAME, examples: ['kepler'] })
const type = z
  .array(PlanetKind)
  .max(MEMBERS_MAX, FEW)
  .meta({ description: TYPE, examples: [['terrestrial', 'super_earth']] })
const minHabitabilityIndex = orNegativeZero(z.number().min(0, INDEX_RANGE).max(1, INDEX_RANGE)).meta({
  description: INDEX,
  examples: [0.5],
})
const sort = PlanetSort.meta({ description: SORT })
const fields = z
  .array(PlanetField)
  .min(1, 'must have at least one name')
  .max(MEMBERS_MAX, FEW)
  .meta({ description: FIELDS, examples: [['name', 'type']] })
const cursor = z
  .string()
  .min(1, 'must not be empty')
  .max(CURSOR_MAX, `must have at most ${CURSOR_MAX} characters`)
  .meta({ description: CURSOR })

const integer = (minimum: number) => {
  const rule = `must be an integer from ${minimum} to 2^53 - 1`
  return z.int(rule).min(minimum, rule)
}

/** A page begins at an offset or after a cursor, not at both. */
const oneStart = checkAlways<{ offset?: unknown; cursor?: unknown }>(({ offset, cursor }, { addIssue }) => {
  if (cursor !== undefined && offset !== undefined)
    addIssue({ code: 'custom', path: ['offset'], message: 'must not be sent with cursor' })
})

/** A query for planets, as JSON. Unknown members are refused: a misspelt filter would return too much. */
export const PlanetQuery = z
  .strictObject({
    name: name.optional(),
    type: type.optional(),
    minHabitabilityIndex: minHabitabilityIndex.optional(),
    sort: sort.optional(),
    fields: fields.optional(),
    limit: integer(1)
      .transform((limit) => Math.min(limit, LIMIT_MAX))
      .meta({
        type: 'integer',
        description: doc(`The number of items to return, at most ${LIMIT_MAX}`),
        examples: [10],
      })
      .default(LIMIT_DEFAULT),
    offset: orNegativeZero(integer(0))
      .meta({ description: doc('The number of items to skip. Not with `cursor`.'), examples: [0] })
      .optional(),
    cursor: cursor.optional(),
  })
  .check(oneStart)
  .meta({
    id: 'PlanetQuery',
    description: doc('Which planets to return, in which order, and which part of them'),
    examples: [{ name: 'kepler', type: ['terrestrial'], sort: '-habitabilityIndex', limit: 5 }, {}],
  })
export type PlanetQuery = z.infer<typeof PlanetQuery>

/** A member that comes as a text, and only once. */
function once<Member extends z.ZodType>(
  member: Member,
  read: (text: string, context: z.RefinementCtx) => unknown = (value) => value,
) {
  return z.preprocess((value, context) => {
    if (typeof value === 'string') return read(value, context)
    context.addIssue('must be sent only once')
    return z.NEVER
  }, member)
}

/**
 * Items that came as texts. There can be as many as in JSON (http/body/input-safety.ts). If there are more, none is
 * looked at.
 */
function requireFew(items: unknown[], context: z.RefinementCtx): unknown[] {
  if (items.length <= MEMBERS_MAX) return items
  context.addIssue(FEW)
  return z.NEVER
}

/** A number in the syntax of JSON (RFC 8259, section 6). */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The same members as texts, in the query of a URL or in a form. */
const texts = {
  // First, because many clients take parameters by position, and these are older.
  limit: PageQuery.shape.limit,
  offset: PageQuery.shape.offset.unwrap().optional().meta({ default: 0 }),
  name: once(name).optional(),
  type: z
    .preprocess((value, context) => requireFew([value].flat(), context), type)
    .optional()
    .meta({ parameterName: 'planetTypes', description: TYPE }),
  minHabitabilityIndex: once(minHabitabilityIndex, (value) =>
    JSON_NUMBER.test(value) ? toDouble(value) : value,
  ).optional(),
  sort: once(sort).optional(),
  fields: once(fields, (value, context) => requireFew(value.split(',', MEMBERS_MAX + 1), context))
    .optional()
    .meta({ separator: ',', description: FIELDS }),
  cursor: once(cursor).optional(),
}

/** A query for planets in the query of a URL. Unknown parameters are ignored. */
export const PlanetParameters = z.object(texts).check(oneStart)

export const PlanetForm = z
  .strictObject(texts)
  .check(oneStart)
  .meta({
    id: 'PlanetQueryForm',
    description: doc(
      'The same as `PlanetQuery`, as a form. `type` is repeated for each type, and commas separate `fields`.',
    ),
  })
