import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DOCUMENTED_ROUTES } from '../../../src/app.ts'
import { examplesOf } from '../../../src/http/examples.ts'
import { declaredPart } from '../../../src/schemas/declared-part.ts'
import { eachRow } from '../../support/each-row.ts'

const documents = DOCUMENTED_ROUTES.common.flatMap(({ operationId, responses }) =>
  Object.entries(responses).flatMap(([status, { schema, example }]) =>
    schema ? [{ name: `${operationId} ${status}`, schema, examples: examplesOf(schema, example) }] : [],
  ),
)

describe('of the examples of every response', () => {
  it('everything stays, in the order of the schema', () =>
    eachRow(
      documents,
      ({ schema, examples }) => {
        for (const example of examples) {
          expect(JSON.stringify(declaredPart(schema, example))).toBe(JSON.stringify(schema.parse(example)))
        }
      },
      ({ name }) => name,
    ))

  it('a member that is not declared is left out, at every depth', () =>
    eachRow(
      documents,
      ({ schema, examples }) => {
        for (const example of examples) {
          const leaky = addEverywhere(example, 'passwordHash', 'secret')
          expect(JSON.stringify(declaredPart(schema, leaky)) === JSON.stringify(leaky)).toBe(false)
          const parsed = schema.safeParse(leaky)
          // A schema that checks the values of free members refuses the text, so there is nothing to compare with.
          if (parsed.success) expect(declaredPart(schema, leaky)).toEqual(parsed.data)
        }
      },
      ({ name }) => name,
    ))
})

it('members with free names stay, whatever their names are', () => {
  const schema = z.object({ mass: z.number() }).catchall(z.number())
  expect(declaredPart(schema, { toString: 1, constructor: 2, mass: 3 })).toEqual({
    mass: 3,
    toString: 1,
    constructor: 2,
  })
})

it('null and absent members stay as they are', () => {
  const schema = z.object({ a: z.object({ b: z.number() }).nullable(), c: z.object({ d: z.number() }).optional() })
  expect(declaredPart(schema, { a: null })).toEqual({ a: null })
  expect(declaredPart(schema, { a: { b: 1, x: 2 }, c: { d: 1, x: 2 } })).toEqual({ a: { b: 1 }, c: { d: 1 } })
})

it('a choice between schemas and a default value work as in parsing', () => {
  const choice = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), name: z.string().default('none') }),
    z.object({ kind: z.literal('b') }),
  ])
  expect(declaredPart(z.object({ choice: choice.optional() }), { choice: { kind: 'a', x: 1 } })).toEqual({
    choice: { kind: 'a', name: 'none' },
  })
  expect(declaredPart(z.object({ choice: choice.optional() }), {})).toEqual({})
  expect(declaredPart(z.object({ size: z.number().default(5) }), {})).toEqual({ size: 5 })
})

/** The value with one more member in each of its objects. */
function addEverywhere(value: unknown, name: string, member: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => addEverywhere(item, name, member))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, inner]) => [key, addEverywhere(inner, name, member)])
  return { ...Object.fromEntries(members), [name]: member }
}
