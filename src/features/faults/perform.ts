import { clientAddressOf, type HonoContext } from '../../http/pipeline/context.ts'
import type { Route } from '../../http/pipeline/route.ts'
import { readBuiltFile } from '../../lib/built-file.ts'
import { discardResponse } from '../../lib/http.ts'
import type { Services } from '../../services.ts'
import {
  CHANGES,
  CUT_HEADER,
  cut,
  cutStream,
  hasJson,
  label,
  lostResponse,
  makeHarmless,
  slow,
  type Violation,
  violate,
} from './actions.ts'
import { FaultBook } from './book.ts'
import { HELD_OF_ADDRESS_MAX, Holds } from './holds.ts'
import { RESPONSES_FILE, type ResponseSchemas } from './response-schemas.ts'
import type { FaultStep } from './schemas.ts'

/** Whether the step had a place in the answer, and the pointer to it if there is one. */
export interface Outcome {
  isApplied: boolean
  pointer?: string | undefined
}

/** What the requests to an app share. */
export class FaultTools {
  readonly #commonHolds = new Holds(HELD_OF_ADDRESS_MAX)
  #schemas: Promise<ResponseSchemas> | undefined

  /** The requests that a world holds. */
  holdsOf({ universe }: Services): Holds {
    return universe ? new FaultBook(universe.store).holds : this.#commonHolds
  }

  /** The schemas of responses, which are read when they are first needed. */
  async schemas({ assets }: Services): Promise<ResponseSchemas> {
    this.#schemas ??= readBuiltFile(assets, `/documents/lab/${RESPONSES_FILE}`).then((text) => JSON.parse(text))
    try {
      return await this.#schemas
    } catch (error) {
      this.#schemas = undefined
      throw error
    }
  }
}

/**
 * Carries out a step: that of a rule, or what `Prefer` says.
 *
 * @param answer Sets the response: the true one, or the one that the step has in its place
 * @throws ProblemError 503 if too many requests are held. Then nothing was done
 */
export async function perform(
  c: HonoContext,
  route: Route,
  step: FaultStep,
  answer: () => Promise<void>,
  tools: FaultTools,
): Promise<Outcome> {
  if (step.delay) await hold(c, step.delay, tools)
  if (step.drop !== undefined) {
    if (step.drop === 'response') {
      await answer()
      await discardResponse(c.res)
    }
    setResponse(c, lostResponse())
    return { isApplied: true }
  }
  const hasChange = CHANGES.some((name) => step[name] !== undefined)
  // A socket has no body.
  if (hasChange && !route.opensSocket) return await answerChanged(c, route, step, answer, tools)
  await answer()
  return { isApplied: !hasChange }
}

async function hold(c: HonoContext, seconds: number, tools: FaultTools): Promise<void> {
  const release = takePlace(c, seconds, tools)
  await c.env.services.wait(seconds * 1000)
  release()
}

/** @returns A function that releases the request @throws ProblemError 503 if too many requests are held */
function takePlace(c: HonoContext, seconds: number, tools: FaultTools): () => void {
  const { services } = c.env
  return tools.holdsOf(services).hold(seconds, services.now(), clientAddressOf(c.req.raw.headers))
}

async function answerChanged(
  c: HonoContext,
  route: Route,
  step: FaultStep,
  answer: () => Promise<void>,
  tools: FaultTools,
): Promise<Outcome> {
  const release = step.slow === undefined ? () => {} : takePlace(c, step.slow, tools)
  try {
    await answer()
  } catch (error) {
    release()
    throw error
  }
  if (step.cut !== undefined && isStream(c, route)) return cutStreamOf(c, step.cut)
  if (step.violate === 'header') return omitHeader(c)
  const changed = await change(c, route, step, { tools, release })
  if (changed) setResponse(c, changed.response)
  else release()
  return { isApplied: changed !== undefined, pointer: changed?.pointer }
}

/** Replaces the response of a request. */
export function setResponse(c: HonoContext, response: Response): void {
  // Without this line, Hono would add the headers of the old response to the new one.
  c.res = undefined
  c.res = response
}

/** @returns Undefined if the step has no place in the response */
async function change(
  c: HonoContext,
  route: Route,
  { slow: seconds, cut: bytes, label: name, violate: kind, at }: FaultStep,
  { tools, release }: { tools: FaultTools; release: () => void },
): Promise<Violation | undefined> {
  const { services } = c.env
  const hasBody = c.res.body !== null && c.req.raw.method !== 'HEAD' && !isStream(c, route)
  if (!hasBody) return undefined
  const changed = async (): Promise<Response | undefined> => {
    if (seconds !== undefined) return await slow(c.res, seconds, services.wait, release)
    if (bytes !== undefined) return await cut(c.res, bytes)
    return name === undefined ? undefined : await label(c.res, name)
  }
  if (kind !== undefined && kind !== 'header') {
    return await violate(c.res, kind, route.operationId, await tools.schemas(services), at)
  }
  const response = await changed()
  return response && { response }
}

/** Whether the response has no end of its own. In a universe, it is still a socket. */
function isStream({ res }: HonoContext, { responses }: Route): boolean {
  return responses[200]?.items !== undefined && (res.status === 101 || res.status === 200)
}

function cutStreamOf(c: HonoContext, bytes: number): Outcome {
  const { body, webSocket, status, headers } = c.res
  if (webSocket) headers.set(CUT_HEADER, String(bytes))
  else if (body && c.req.raw.method !== 'HEAD')
    setResponse(c, new Response(cutStream(body, bytes), { status, headers }))
  else return { isApplied: false }
  makeHarmless(c.res)
  return { isApplied: true }
}

/** Leaves out a header that the document requires of every answer. */
function omitHeader(c: HonoContext): Outcome {
  const isApplied = hasJson(c.res) && c.req.raw.method !== 'HEAD'
  if (isApplied) {
    c.set('omitsProcessingTime', true)
    makeHarmless(c.res)
  }
  return { isApplied }
}
