import { Hono } from 'hono'
import { expect, it } from 'vitest'
import type { HonoEnv } from '../../../../src/http/pipeline/context.ts'
import { mountRoutes } from '../../../../src/http/pipeline/mount.ts'
import { reply } from '../../../../src/http/pipeline/reply.ts'
import { defineRoute, type ResponseSpec } from '../../../../src/http/pipeline/route.ts'

const LOCATION: ResponseSpec = { description: 'The new star', headers: ['Location'] }

const mount = (response: ResponseSpec) =>
  mountRoutes(
    new Hono<HonoEnv>(),
    [
      defineRoute({
        method: 'post',
        path: '/stars',
        operationId: 'createStar',
        tag: 'Celestial Bodies',
        summary: 'Create a star',
        description: 'Creates a star.',
        security: [],
        responses: { 201: response },
        handle: async () => reply(201, undefined),
      }),
    ],
    () => (_, next) => next(),
  )

it('the Worker does not start if a Location has no example of its own', () => {
  expect(() => mount(LOCATION)).toThrow('the response 201 of createStar has a Location: declare its example')
  expect(() => mount({ ...LOCATION, exampleHeaders: { Location: '/stars/1' } })).not.toThrow()
})
