import { expect, it } from 'vitest'
import * as z from 'zod'
import { reply, WrittenBody } from '../../../../src/http/pipeline/reply.ts'
import { defineRoute } from '../../../../src/http/pipeline/route.ts'
import { replySender, writeDocument } from '../../../../src/http/pipeline/send-reply.ts'

const Star = z.object({ name: z.string() }).meta({ id: 'TestStar', xml: { name: 'star' }, examples: [{ name: 'Sun' }] })

const send = replySender(
  defineRoute({
    method: 'get',
    path: '/star',
    operationId: 'getStar',
    tag: 'Planets',
    summary: 'Get a star',
    description: 'Returns a star.',
    security: [],
    responses: { 200: { description: 'The star', schema: Star } },
    handle: async () => reply(200, { name: 'Sun' }),
  }),
)

const PLACE = { basePath: '', universe: undefined, takesReports: false }

const written = new WrittenBody('json', new TextEncoder().encode(writeDocument({ name: 'Sun' }, Star, 'json')))

it('a document that is already written is sent as it is, as often as it is needed', async () => {
  for (let times = 0; times < 2; times++) {
    const response = send(reply(200, written), 'json', new Headers(), PLACE)
    expect([response.headers.get('Content-Type'), await response.text()]).toEqual([
      'application/json',
      '{"name":"Sun"}',
    ])
  }
})

it('a document that is already written is not sent to a caller that prefers another format', () => {
  expect(() => send(reply(200, written), 'xml', new Headers(), PLACE)).toThrow(/written as json/)
})

it('only the members that the schema declares are written', () => {
  const stored = { name: 'Sun', password: 'secret' }
  expect(writeDocument(stored, Star, 'json')).toBe('{"name":"Sun"}')
})
