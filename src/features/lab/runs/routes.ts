import { doc } from '#doc'
import { labRunLimit, rateLimitHeaders, spendAttempt } from '../../../auth/limits.ts'
import { EXAMPLE_ORIGIN } from '../../../domain/example-origin.ts'
import { entity } from '../../../http/body/entity.ts'
import { RATE_LIMIT_HEADERS } from '../../../http/headers.ts'
import { reply } from '../../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../../http/pipeline/route.ts'
import { requireRecordsLeft } from '../../../http/pipeline/write-limit.ts'
import { widerNetwork } from '../../../lib/client-address.ts'
import { newBase32 } from '../../../lib/ids.ts'
import {
  EXAMPLE_LAB_RUN_ID,
  LabReport,
  LabRun,
  LabRunChange,
  LabRunInput,
  LabRunPath,
} from '../../../schemas/lab-run.ts'
import { readLaboratory } from '../case-files.ts'
import { closedRun, noRun } from './errors.ts'
import { COMMON, RUN_PATH, RUNS_PATH } from './paths.ts'
import { deleteRun, firstEnd, insertRun, type StoredRun, updateRun } from './queries.ts'
import { readStates } from './read-states.ts'
import { requireKnownCases } from './reasons.ts'
import { reportRoutes } from './report-routes.ts'
import { summarise } from './summary.ts'

const create = defineRoute({
  ...COMMON,
  method: 'post',
  path: RUNS_PATH,
  operationId: 'createLabRun',
  summary: 'Begin a run of the laboratory',
  description: doc(
    'Begins a run: its `url` is a bench, the base URL for a client whose requests are judged and recorded. `openapi` is the version of OpenAPI whose cases count, if it is another one than 3.1; all others are judged too. `expect` lists cases that should fail, with the reason for each, and `skip` lists cases, or `group/*`, that do not count. No credentials are required. Anyone who knows the id can record in the run, read it and delete it. A run ends 7 days after its last record, and 30 days after its creation at most. An address can begin 120 runs an hour.',
  ),
  body: entity(LabRunInput, ['json']),
  responses: {
    201: {
      description: doc('The new run'),
      schema: LabRun,
      headers: ['Location', ...RATE_LIMIT_HEADERS],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}${RUNS_PATH}/${EXAMPLE_LAB_RUN_ID}` },
      links: {
        GetLabRun: {
          operationId: 'getLabRun',
          description: doc('The run, with what it has recorded'),
          parameters: { runId: '$response.body#/id' },
        },
      },
    },
  },
  problems: ['universe-limit', 'too-many-requests'],
  async handle({ body }, { services, session, baseUrl, clientAddress, now }) {
    const laboratory = await readLaboratory(services.assets)
    requireKnownCases(laboratory, body)
    const limitState = await spendAttempt(session, labRunLimit(clientAddress), now)
    const run = {
      id: newBase32('labRun'),
      ...body,
      closed: false,
      createdAt: now,
      expiresAt: firstEnd(now),
      network: widerNetwork(clientAddress),
    }
    await insertRun(session, run)
    return reply(201, presentRun(run, laboratory.suite, baseUrl), {
      ...rateLimitHeaders(limitState),
      Location: `${baseUrl}${RUNS_PATH}/${run.id}`,
    })
  },
})

const read = defineRoute({
  ...COMMON,
  method: 'get',
  path: RUN_PATH,
  operationId: 'getLabRun',
  summary: 'Get a run of the laboratory',
  description: doc(
    'Returns the run, how many cases of each level have each outcome, and the verdict on each case that was called, in the order of the catalogue. Cases that its version of OpenAPI lacks are in no count. The last request of a case counts.',
  ),
  isSecret: true,
  params: LabRunPath,
  responses: { 200: { description: doc('The run, with what it has recorded'), schema: LabReport } },
  async handle({ params }, context) {
    const { run, suite, all, states } = await readStates(params.runId, context)
    return reply(200, {
      ...presentRun(run, suite, context.baseUrl),
      summary: summarise(states),
      results: all.flatMap(({ result }) => result ?? []),
    })
  },
})

const update = defineRoute({
  ...COMMON,
  method: 'patch',
  path: RUN_PATH,
  operationId: 'updateLabRun',
  summary: 'Change or close a run of the laboratory',
  description: doc(
    'Replaces `expect` or `skip`, or closes the run. A closed run records no more requests and cannot be changed (409), so its report can be linked. It can still be read and deleted.',
  ),
  params: LabRunPath,
  body: entity(LabRunChange, ['json']),
  responses: { 200: { description: doc('The run after the change'), schema: LabRun } },
  problems: ['conflict', 'too-many-requests'],
  async handle({ params: { runId }, body }, { services, session, baseUrl, clientAddress, now }) {
    const laboratory = await readLaboratory(services.assets)
    requireKnownCases(laboratory, body)
    await requireRecordsLeft(services, { runId, clientAddress })
    const updated = await updateRun(session, runId, body, now)
    if (!updated) throw noRun()
    if (!updated.isChanged) throw closedRun()
    return reply(200, presentRun(updated.run, laboratory.suite, baseUrl))
  },
})

const remove = defineRoute({
  ...COMMON,
  method: 'delete',
  path: RUN_PATH,
  operationId: 'deleteLabRun',
  summary: 'Delete a run of the laboratory',
  description: doc('Deletes a run before it ends, with everything that it has recorded.'),
  params: LabRunPath,
  responses: { 204: { description: doc('The run was deleted') } },
  async handle({ params }, { session, now }) {
    if (await deleteRun(session, params.runId, now)) return reply(204)
    throw noRun()
  },
})

function presentRun({ network: _, createdAt, expiresAt, ...run }: StoredRun, suite: string, baseUrl: string): LabRun {
  return {
    ...run,
    url: `${baseUrl}${RUNS_PATH}/${run.id}`,
    suite,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }
}

/** The operations on runs. Those of API version 1.0.0 have none of them. */
export const labRunRoutes: readonly Route[] = [create, read, update, remove, ...reportRoutes]
