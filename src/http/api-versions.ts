import { createMiddleware } from 'hono/factory'
import { ProblemError } from '../domain/problems.ts'
import type { HonoEnv } from './pipeline/context.ts'

/** The editions of the interface, the one that answers by default first. Both behave the same. */
export const EDITIONS = ['2.0.0', '1.0.0'] as const

export type Edition = (typeof EDITIONS)[number]

export const CURRENT_EDITION: Edition = EDITIONS[0]

/** The edition that answers a request: the one that it asks for, if there is such a one. */
export function answeringEdition(headers: Headers): Edition {
  return findEdition(headers) ?? CURRENT_EDITION
}

/** Refuses a request for an edition that there is not. */
export const knownEdition = createMiddleware<HonoEnv>(async function knownEdition(c, next) {
  if (!findEdition(c.req.raw.headers)) {
    throw new ProblemError('bad-request', `API-Version must be ${EDITIONS.join(' or ')}.`)
  }
  await next()
})

function findEdition(headers: Headers): Edition | undefined {
  const wanted = headers.get('API-Version') ?? CURRENT_EDITION
  return EDITIONS.find((edition) => edition === wanted)
}
