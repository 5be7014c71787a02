import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { faultsOf } from '../../../../src/http/body/faults.ts'
import { bodyOf, createAccount, createClient } from '../../../support/app.ts'

// What a caller is told about a rejected member.

describe('an invalid id in a body', () => {
  const RANGE = 'must be an integer from 1 to 2^53 - 1'

  it.each<[unknown, string]>([
    [undefined, 'is required, unless the object is empty'],
    [-1, RANGE],
    [0, RANGE],
    [1.5, RANGE],
    [2 ** 53, RANGE],
    ['4', 'must be of type number, not string'],
    [null, 'must be of type number, not null'],
  ])('is rejected with a message of the service: %j', async (id, detail) => {
    const client = createClient()
    const body = { name: 'Deimos', type: 'moon', orbit: { planet: { id, name: 'Mars' } } }
    const response = await client.sendJson('POST', '/celestial-bodies', body, await createAccount(client))
    expect(response.status).toBe(400)
    expect((await bodyOf(response)).errors).toEqual([{ pointer: '/orbit/planet/id', detail }])
  })
})

describe('a schema without messages gets those of the service', () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.string(), 1, 'must be of type string, not number'],
    [z.object({}), [], 'must be of type object, not array'],
    [z.int(), 1.5, 'must be an integer'],
    [z.number(), Number.POSITIVE_INFINITY, expect.stringContaining('must be a number that a double can represent')],
    [z.number().min(2), 1, 'must be at least 2'],
    [z.number().positive(), 0, 'must be greater than 0'],
    [z.number().max(2), 3, 'must be at most 2'],
    [z.number().lt(2), 2, 'must be less than 2'],
    [z.number().multipleOf(2), 3, 'must be a multiple of 2'],
    [z.string().min(2), 'a', 'must have at least 2 characters'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 items'],
    [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    [z.literal('a'), undefined, 'is required'],
    [z.string().regex(/^a$/), 'b', 'must match the pattern /^a$/'],
    [z.uuid(), 'b', 'must have the format uuid'],
    [z.union([z.string(), z.number()]), true, 'matches none of the documented forms'],
    [z.record(z.string().min(2), z.string()), { a: '' }, 'has a property name that is not valid'],
    [z.string().refine(() => false), 'a', 'is not valid'],
    [z.string().min(2, 'must be long'), 'a', 'must be long'],
  ])('%#: %j', (schema, value, detail) => {
    const { error } = schema.safeParse(value)
    expect(faultsOf(error ?? { issues: [] }).map((fault) => fault.detail)).toEqual([detail])
  })
})
