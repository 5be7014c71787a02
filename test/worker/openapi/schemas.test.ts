import { type Schema, validate } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { inlineSchema } from '../../../documents/openapi/schemas.ts'

describe('a nullable schema', () => {
  const kinds: [kind: string, z.ZodType, wrong: unknown][] = [
    ['a text', z.string(), 1],
    ['an enum', z.enum(['a', 'b']), 'c'],
    ['a literal', z.literal('a'), 'b'],
    ['several literals', z.literal(['a', 'b']), 'c'],
    ['an already nullable schema', z.enum(['a']).nullable(), 'b'],
    ['an object', z.object({ a: z.literal(1).nullable() }), { a: 2 }],
    ['a choice', z.union([z.literal('a'), z.int()]), 'b'],
  ]

  it.each(kinds)('accepts null and its other values, and nothing else: %s', (_, schema, wrong) => {
    const documented = inlineSchema(schema.nullable(), 'output') as Schema
    const accepts = (value: unknown) => validate(value, documented, '2020-12').valid
    expect(accepts(null)).toBe(true)
    expect(accepts(wrong)).toBe(false)
    const right = ['', 'a', 'b', 1, { a: 1 }, { a: null }].filter((value) => schema.safeParse(value).success)
    expect(right).not.toEqual([])
    expect(right.filter((value) => !accepts(value))).toEqual([])
  })

  it.each([
    ['a text', z.string(), ['string', 'null']],
    ['a literal', z.literal('a'), ['string', 'null']],
    ['an already nullable schema', z.string().nullable(), ['string', 'null']],
  ])('has null in its type: %s', (_, schema, type) => {
    expect(inlineSchema(schema.nullable(), 'output').type).toEqual(type)
  })
})

it('an object declares additional members only once', () => {
  const schema = z.object({ a: z.string().nullable() }).catchall(z.union([z.string(), z.number()]))
  const documented = inlineSchema(schema, 'output')
  expect(Object.keys(documented)).toEqual(['type', 'properties', 'required', 'additionalProperties'])
  expect(documented.properties).toEqual({ a: { type: ['string', 'null'] } })
})
