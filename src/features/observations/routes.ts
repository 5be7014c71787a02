import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { commit } from '../../changes/commit.ts'
import { ProblemError, planetNotFound } from '../../domain/problems.ts'
import { pageResponse, replyList } from '../../http/pagination.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { ObservationBatch, ObservationBatchPage, ObservationBatchPath } from '../../schemas/observation.ts'
import { PageQuery } from '../../schemas/page.ts'
import { deleteBatch, findBatch, listBatches, selectPlanetId } from '../../stores/observations.ts'
import { presentBatch, RETRY_AFTER } from './representation.ts'
import { uploadObservations } from './upload-observations.ts'

const PATH = '/planets/{planetId}/observations'

/** What all these operations have in common. OpenAPI 3.1 cannot describe the one that makes batches. */
const COMMON = {
  tag: 'Planets',
  labels: ['Planets', 'Beta'],
  since: '2.0.0',
  isOnlyIn32: true,
  security: ALL_SCHEMES,
} as const

const list = defineRoute({
  ...COMMON,
  method: 'get',
  path: PATH,
  operationId: 'listObservationBatches',
  summary: 'Get your batches of observations',
  description: doc('Returns a page of your batches of observations of a planet, oldest first. Nobody else sees them.'),
  scope: 'read:planets',
  params: PlanetPath,
  query: PageQuery,
  prefetch: ({ planetId }) => selectPlanetId(planetId),
  responses: {
    200: pageResponse('/planets/1/observations', ObservationBatchPage, doc('A page of your batches of observations')),
  },
  async handle({ params: { planetId }, query, caller, prefetched }, { session, now }) {
    if (prefetched.length === 0) throw planetNotFound()
    const { rows, total } = await listBatches(session.db, caller.id, planetId, query, now)
    return replyList(`/planets/${planetId}/observations`, query, rows.map(presentBatch), total)
  },
})

const read = defineRoute({
  ...COMMON,
  method: 'get',
  path: `${PATH}/{batchId}`,
  operationId: 'getObservationBatch',
  summary: 'Get a batch of observations',
  description: doc(
    'Returns one of your batches of observations. Until it is completed, `Retry-After` says when to ask again.',
  ),
  scope: 'read:planets',
  params: ObservationBatchPath,
  responses: { 200: { description: doc('The batch'), schema: ObservationBatch, headers: ['Retry-After'] } },
  async handle({ params, caller }, { session, now }) {
    const batch = await findBatch(session.db, { ...params, userId: caller.id }, now)
    if (!batch) throw noBatch()
    return reply(200, presentBatch(batch), batch.completedAt ? {} : RETRY_AFTER)
  },
})

const remove = defineRoute({
  ...COMMON,
  method: 'delete',
  path: `${PATH}/{batchId}`,
  operationId: 'deleteObservationBatch',
  summary: 'Delete a batch of observations',
  description: doc('Deletes one of your batches of observations, also while the work on it goes on.'),
  scope: 'write:planets',
  params: ObservationBatchPath,
  responses: { 204: { description: doc('The batch was deleted') } },
  async handle({ params, caller }, context) {
    const statements = [deleteBatch({ ...params, userId: caller.id }, context.now)] as const
    const { results } = await commit(context, { statements })
    if (results[0].length === 0) throw noBatch()
    return reply(204)
  },
})

function noBatch(): ProblemError {
  return new ProblemError('not-found', 'You have no batch of observations with this id at this planet.')
}

export const observationRoutes: readonly Route[] = [uploadObservations, list, read, remove]
