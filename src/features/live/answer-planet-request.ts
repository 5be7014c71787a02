import type { Session } from '../../db/client.ts'
import { imageBaseUrlOf } from '../../domain/image-url.ts'
import { ProblemError } from '../../domain/problems.ts'
import { withoutNulls } from '../../events/changes.ts'
import { unwrap, wrap } from '../../events/envelope.ts'
import type { Subscription } from '../../events/subscription.ts'
import { faultsOf } from '../../http/body/faults.ts'
import { problemDocument } from '../../http/errors/problem.ts'
import { newUuid } from '../../lib/ids.ts'
import { membersOf } from '../../lib/objects.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { declaredPart } from '../../schemas/declared-part.ts'
import { GetPlanetRequest } from '../../schemas/live/replies.ts'
import { Planet } from '../../schemas/planet.ts'
import type { Services } from '../../services.ts'
import { selectPlanet } from '../../stores/stored-planet.ts'
import { requireFound } from '../planets/access.ts'
import { presentPlanet } from '../planets/representation.ts'

/** Answers a frame of the channel `planetRequest`: with the planet, or with a problem document. Never throws. */
export async function answerPlanetRequest(
  frame: string,
  { isEnveloped, baseUrl }: Subscription,
  session: Session,
  { config }: Pick<Services, 'config'>,
): Promise<string> {
  const value = parse(frame)
  const { headers, payload } = isEnveloped ? unwrap(value) : { headers: undefined, payload: value }
  try {
    const planet = await readPlanet(payload, session, imageBaseUrlOf(baseUrl, config.imageHost))
    const reply = JSON.stringify(planet)
    return headers ? wrap(reply, headers) : reply
  } catch (error) {
    const problem = problemDocument(asProblem(error), headers?.requestId ?? newUuid('correlation'), baseUrl)
    // The client recognises its request by the text that it sent as `requestId`.
    const { requestId } = membersOf(payload)
    const reply = JSON.stringify({ ...problem, ...(typeof requestId === 'string' && { requestId }) })
    return headers ? wrap(reply, headers) : reply
  }
}

/** The JSON of a frame; undefined if it is not JSON. */
function parse(frame: string): unknown {
  try {
    return JSON.parse(frame)
  } catch {
    return undefined
  }
}

/**
 * Reads the planet that a message requests.
 *
 * @throws ProblemError 400 if the message is not valid; 404 if the planet does not exist
 */
async function readPlanet(request: unknown, { db }: Session, imageBaseUrl: string): Promise<unknown> {
  if (request === undefined) throw new ProblemError('malformed-body', 'The message is not valid JSON.')
  const { data, error } = GetPlanetRequest.safeParse(request)
  if (error) {
    throw new ProblemError('invalid-body', 'The message has missing or invalid members.', { faults: faultsOf(error) })
  }
  const [found] = await selectPlanet(db, data.planetId)
  return withoutNulls(declaredPart(Planet, presentPlanet(requireFound(found), imageBaseUrl)))
}

/** The problem for the client. An unexpected error is logged. */
function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  console.error(JSON.stringify({ event: 'planet-request-failed', error: rootCause(error).message }))
  return new ProblemError('service-unavailable', 'The planet cannot be read at the moment. Try again in a few seconds.')
}
