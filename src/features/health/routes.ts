import { doc } from '#doc'
import { ProblemError } from '../../domain/problems.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { NO_STORE } from '../../http/pipeline/send-reply.ts'
import { Health, Readiness } from '../../schemas/health.ts'
import { findFailingParts } from './failing-parts.ts'

const NOT_CACHED = { 'Cache-Control': NO_STORE }

/** In seconds. A result is cached for one second, so a caller who waits this long gets a new result. */
const RETRY_AFTER = { 'Retry-After': '1' }

const getHealth = defineRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  tag: 'Documents',
  summary: 'Ask whether the service runs',
  description: doc('Succeeds if the service runs, even if its database or another part does not work.'),
  since: '2.0.0',
  security: [],
  responses: { 200: { description: doc('The service runs'), schema: Health } },
  async handle() {
    return reply(200, { status: 'ok' } as const, NOT_CACHED)
  },
})

const getReadiness = defineRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  tag: 'Documents',
  summary: 'Ask whether the service can do its work',
  description: doc(
    'Succeeds if the database and the store of images respond, the queue exists, and the secrets can be used. Otherwise the response is 503, and its detail names the parts that do not work. The result is cached for a second.',
  ),
  since: '2.0.0',
  security: [],
  responses: { 200: { description: doc('The service can do its work'), schema: Readiness } },
  async handle(_, { services }) {
    const failingParts = await services.readiness.recall(() => findFailingParts(services), services)
    if (failingParts.length === 0) return reply(200, { status: 'ready' } as const, NOT_CACHED)
    const detail = `These parts of the service do not work at the moment: ${failingParts.join(', ')}.`
    throw new ProblemError('service-unavailable', detail, { headers: RETRY_AFTER })
  },
})

export const healthRoutes: readonly Route[] = [getHealth, getReadiness]
