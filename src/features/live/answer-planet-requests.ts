import type { Session } from '../../db/port.ts'
import { imageBaseUrlOf } from '../../domain/image-url.ts'
import { ProblemError } from '../../domain/problems.ts'
import { withoutNulls } from '../../events/changes.ts'
import { type EnvelopeHeaders, unwrap, wrap } from '../../events/envelope.ts'
import type { Subscription } from '../../events/subscription.ts'
import { faultsOf } from '../../http/body/faults.ts'
import { problemDocument } from '../../http/errors/problem.ts'
import { newUuid } from '../../lib/ids.ts'
import { membersOf } from '../../lib/objects.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { declaredPart } from '../../schemas/declared-part.ts'
import { GetPlanetRequest } from '../../schemas/live/replies.ts'
import { Planet } from '../../schemas/planet.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import type { Services } from '../../services.ts'
import { type StoredPlanet, selectPlanets } from '../../stores/stored-planet.ts'
import { requireFound } from '../planets/access.ts'

/** How long a client should wait if too many of its requests are waiting. */
const RETRY_SECONDS = 1

/** A frame of the channel `planetRequest`. */
export interface PlanetRequest {
  text: string
  subscription: Subscription
  /** Whether it is not answered, because too many requests were waiting when it arrived. */
  isRefused: boolean
}

/**
 * Answers frames of the channel `planetRequest`, each with the planet or with a problem document. All planets are read
 * with one query. Never throws.
 *
 * @returns The replies, in the order of the requests
 */
export async function answerPlanetRequests(
  requests: readonly PlanetRequest[],
  session: Session,
  { config }: Pick<Services, 'config'>,
): Promise<string[]> {
  const asked = requests.map(readRequest)
  const ids = new Set(asked.map(({ planetId }) => planetId).filter((id) => typeof id === 'number'))
  const found = await findPlanets(session, [...ids])
  return asked.map((request) => {
    const { planetId, headers, payload, baseUrl } = request
    try {
      if (planetId instanceof ProblemError) throw planetId
      if (found instanceof ProblemError) throw found
      const imageBaseUrl = imageBaseUrlOf(baseUrl, config.imageHost)
      const planet = presentPlanet(requireFound(found.get(planetId)), imageBaseUrl)
      return envelop(JSON.stringify(withoutNulls(declaredPart(Planet, planet))), headers)
    } catch (error) {
      const problem = asProblem(error)
      const document = problemDocument(problem, headers?.requestId ?? newUuid('correlation'), baseUrl)
      // The client recognises its request by the text that it sent as `requestId`.
      const { requestId } = membersOf(payload)
      const reply = {
        ...document,
        ...(problem.code === 'too-many-requests' && { retryAfter: RETRY_SECONDS }),
        ...(typeof requestId === 'string' && { requestId }),
      }
      return envelop(JSON.stringify(reply), headers)
    }
  })
}

interface AskedPlanet {
  /** The planet, or why there is no answer. */
  planetId: number | ProblemError
  payload: unknown
  /** Undefined if the socket has no envelopes. */
  headers: EnvelopeHeaders | undefined
  baseUrl: string
}

function readRequest({ text, subscription, isRefused }: PlanetRequest): AskedPlanet {
  const { isEnveloped, baseUrl } = subscription
  const value = parse(text)
  const { headers, payload } = isEnveloped ? unwrap(value) : { headers: undefined, payload: value }
  return { planetId: isRefused ? tooManyWaiting() : readPlanetId(payload), payload, headers, baseUrl }
}

/** The JSON of a frame; undefined if it is not JSON. */
function parse(frame: string): unknown {
  try {
    return JSON.parse(frame)
  } catch {
    return undefined
  }
}

/** The planet that a message requests, or the problem if the message is not valid. */
function readPlanetId(request: unknown): number | ProblemError {
  if (request === undefined) return new ProblemError('malformed-body', 'The message is not valid JSON.')
  const { data, error } = GetPlanetRequest.safeParse(request)
  if (!error) return data.planetId
  return new ProblemError('invalid-body', 'The message has missing or invalid members.', { faults: faultsOf(error) })
}

function tooManyWaiting(): ProblemError {
  return new ProblemError(
    'too-many-requests',
    'Too many of your requests are waiting for their replies. Wait for replies before you send more.',
  )
}

/** The planets with these ids, or the problem if they cannot be read. */
async function findPlanets({ db }: Session, ids: readonly number[]): Promise<Map<number, StoredPlanet> | ProblemError> {
  if (ids.length === 0) return new Map()
  try {
    const found = await db.read(selectPlanets(ids))
    return new Map(found.map((planet) => [planet.id, planet]))
  } catch (error) {
    return asProblem(error)
  }
}

function envelop(reply: string, headers: EnvelopeHeaders | undefined): string {
  return headers ? wrap(reply, headers) : reply
}

/** The problem for the client. An unexpected error is logged. */
function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  console.error(JSON.stringify({ event: 'planet-request-failed', error: rootCause(error).message }))
  return new ProblemError('service-unavailable', 'The planet cannot be read at the moment. Try again in a few seconds.')
}
