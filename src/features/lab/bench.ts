import { createMiddleware } from 'hono/factory'
import type { JudgedCase } from '../../../laboratory/case.ts'
import { decodeContent } from '../../../laboratory/content-coding.ts'
import { SCRIPTS } from '../../../laboratory/retry-scripts.ts'
import { methodsOf, type Role, roleOf } from '../../../laboratory/step.ts'
import { openSession } from '../../db/port.ts'
import { basePathOf } from '../../domain/base-url.ts'
import { ENTITY_MAX_BYTES } from '../../domain/limits.ts'
import { methodNotAllowed, ProblemError } from '../../domain/problems.ts'
import { decodedTooLarge } from '../../http/body/content-coding.ts'
import { contentTooLarge } from '../../http/body/reader.ts'
import { clientAddressOf, type HonoContext, type HonoEnv } from '../../http/pipeline/context.ts'
import { requireRecordsLeft } from '../../http/pipeline/write-limit.ts'
import { readWhole } from '../../lib/read-stream.ts'
import type { LabResult } from '../../schemas/lab-run.ts'
import { lostResponse } from '../faults/actions.ts'
import { caseResponse, verdictResponse } from './answers.ts'
import { type BenchPlace, benchPlaceOf } from './bench-path.ts'
import { readLaboratory } from './case-files.ts'
import { closedRun, noRun } from './runs/errors.ts'
import { presentResult } from './runs/outcome.ts'
import { RUN_PATH } from './runs/paths.ts'
import { recordStep, type StoredResult } from './runs/queries.ts'
import { makeStep, stepsAlone } from './steps.ts'

/**
 * Answers every request to a case of the laboratory. It is a middleware before all routes, because the cases are no
 * operations of the API: no `Prefer`, no negotiation, no credentials.
 */
export const answerBench = createMiddleware<HonoEnv>(async function answerBench(c, next) {
  const place = benchPlaceOf(c.req.raw.url)
  if (!place) return await next()
  c.set('routePath', `${place.runId === undefined ? '/lab/try' : RUN_PATH}/{case}`)
  return await answerCase(c, place)
})

async function answerCase(c: HonoContext, place: BenchPlace): Promise<Response> {
  const { cases } = await readLaboratory(c.env.services.assets)
  const judged = cases.find(({ id }) => id === place.id)
  // What a client learns from retries is only known in a run.
  if (!judged || (judged.script !== undefined && place.runId === undefined)) throw noCase()
  const { method } = c.req
  const role = roleOf(judged, place, method)
  const allowed = methodsOf(judged, role)
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allowed.join(', ') } })
  if (role !== 'end' && !allowed.includes(method)) throw methodNotAllowed(allowed)
  const result = await resultOf(c, place, judged, role)
  return respond(judged, role, result, basePathOf(c.get('baseUrl')) + benchPathOf(place))
}

function noCase(): ProblemError {
  return new ProblemError(
    'not-found',
    'There is no such case here. GET /lab/cases lists all cases; those of retry are only in runs.',
  )
}

const benchPathOf = ({ runId }: BenchPlace) => (runId === undefined ? '/lab/try' : `/lab/runs/${runId}`)

/** What is known about the case with this request: in a run what the run has recorded, otherwise the request alone. */
async function resultOf(c: HonoContext, place: BenchPlace, judged: JudgedCase, role: Role): Promise<StoredResult> {
  const { services } = c.env
  const { raw, method } = c.req
  const runId = method === 'HEAD' ? undefined : place.runId
  if (runId !== undefined) await requireRecordsLeft(services, { runId, clientAddress: clientAddressOf(raw.headers) })
  const body = await readWhole(raw.body, ENTITY_MAX_BYTES)
  if (!body) throw contentTooLarge('body', ENTITY_MAX_BYTES)
  const now = services.now()
  const requestId = c.get('requestId')
  const decoded = decodeContent(body, raw.headers.get('Content-Encoding'), ENTITY_MAX_BYTES)
  if (!decoded) throw decodedTooLarge(ENTITY_MAX_BYTES)
  const arrived = { method, rest: place.rest, query: place.query, headers: raw.headers, ...decoded }
  const made = await makeStep(judged, role, arrived, now)
  if (runId === undefined) return stepsAlone(judged, made, requestId)
  const session = openSession(services, 'first-primary')
  const stored = await recordStep(session, runId, { caseId: judged.id, requestId, ...made }, now)
  if (stored === 'no-run') throw noRun()
  if (stored === 'closed') throw closedRun()
  return stored
}

function respond(judged: JudgedCase, role: Role, stored: StoredResult, benchPath: string): Response {
  const script = judged.script === undefined ? undefined : SCRIPTS[judged.script]
  if (role === 'begin') {
    const answer = judged.answer ?? judged.redirect?.answer ?? { status: 204 }
    return caseResponse(answer, benchPath)
  }
  const result: LabResult = presentResult(judged, stored)
  if (!script) return verdictResponse(result)
  const steps = stored.steps.filter(({ begins }) => !begins)
  const { status, headers } = script.answer(steps)
  if (status === 'lost') return lostResponse()
  return status < 300 ? verdictResponse(result, status) : new Response(null, { status, ...(headers && { headers }) })
}
