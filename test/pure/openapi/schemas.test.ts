import { type Schema, validate } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { describeIn32, describeWorld } from '../../../documents/documents.ts'
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

const DOCUMENTS = (['common', 'universe'] as const).flatMap((world) => [
  { name: `OpenAPI 3.1, ${world}`, document: describeWorld(world, '2.0.0') },
  { name: `OpenAPI 3.2, ${world}`, document: describeIn32(world, 'json') },
])

describe.each(DOCUMENTS)('the document in $name', ({ document }) => {
  const { schemas } = document.components

  /** The names of the components that a part of the document uses. */
  function namesIn(part: unknown, found = new Set<string>()): Set<string> {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      namesIn(schemas[name], found)
    }
    return found
  }

  it('closes each schema of a body in which unknown members are refused, also if responses have it too', () => {
    const bodies = Object.values(document.paths).flatMap((item) =>
      Object.values(item ?? {}).map((operation) => Object(operation).requestBody),
    )
    const used = namesIn(bodies.filter(Boolean))
    const strict = [...used].filter((name) => isStrict(z.globalRegistry._idmap.get(name)))
    expect(strict).toEqual(
      expect.arrayContaining(['FaultRules', 'FaultRule', 'FaultStep', 'FaultMatch', 'FaultChance']),
    )
    expect(strict.filter((name) => schemas[name]?.additionalProperties !== false)).toEqual([])
    // What is only sent stays open for later members.
    expect(schemas.CountedFaultRule?.additionalProperties).toBeUndefined()
  })

  it('says how many types and fields a query can have', () => {
    const parameters = Object.values(document.components.parameters)
    const lists = parameters.filter(({ name }) => name === 'type' || name === 'fields')
    const maxima = lists.map(({ schema }) => Object(schema)).filter(({ type }) => type === 'array')
    expect(maxima.map(({ maxItems }) => maxItems)).toEqual([1000, 1000])
    for (const name of ['PlanetQuery', 'PlanetQueryForm']) {
      if (!schemas[name]) continue
      const { type, fields } = Object(schemas[name].properties)
      expect([type.maxItems, fields.maxItems]).toEqual([1000, 1000])
    }
  })
})

/** Whether a schema refuses unknown members. */
function isStrict(schema: z.core.$ZodType | undefined): boolean {
  return schema instanceof z.ZodObject && schema.def.catchall?._zod.def.type === 'never'
}
