import { noUniverse, PROBLEMS, type ProblemCode, ProblemError } from '../domain/problems.ts'
import { findRequestedUniverse } from '../domain/universe-address.ts'
import type { App, HonoEnv } from '../http/pipeline/context.ts'
import type { Services } from '../services.ts'

/** The problems that say that there is no universe. */
const ABSENCES: readonly ProblemCode[] = ['not-found', 'universe-ended']

/** The error for every request to a universe that has ended. */
export function universeEnded(): ProblemError {
  return new ProblemError('universe-ended', PROBLEMS['universe-ended'].example.detail)
}

/** The execution context of a request, with the members that Hono requires. */
export type WorkContext = Pick<ExecutionContext, 'waitUntil' | 'passThroughOnException' | 'props'>

/**
 * Refuses a request to a universe, for example because the universe has ended. The app writes the response as it does
 * for any other error: as a page or in the requested format, and with a line of the log.
 *
 * @param services The services of the common world
 * @param takeLine See `HonoEnv`
 */
export async function refuse(
  app: App,
  request: Request,
  refusal: ProblemError,
  services: Services,
  context: WorkContext,
  takeLine?: HonoEnv['Bindings']['takeLine'],
): Promise<Response> {
  const address = findRequestedUniverse(new URL(request.url), services.config)
  // `no-universe` is a host below UNIVERSE_HOST at which there is no universe. A universe at a host of its own has an
  // empty `basePath`.
  const isAtUniverseHost = address === 'no-universe' || address?.basePath === ''
  // At such a host, the URL of the common world cannot be read from the request, only from PUBLIC_URL.
  const baseUrlOf = isAtUniverseHost ? () => services.config.publicUrl : services.baseUrlOf
  // If there is no such universe, the caller may have made up the id, and the log must not contain texts of callers.
  const worldId = refusal.code === 'not-found' || address === 'no-universe' ? undefined : address?.id
  // A page loads its files from its own host, and this host has none.
  const refusesWithPage = !isAtUniverseHost && ABSENCES.includes(refusal.code)
  const bindings = { services: { ...services, baseUrlOf, worldId }, refusal, refusesWithPage, takeLine }
  return await app.fetch(request, bindings, context)
}

/** The error for a request to a universe that does not exist, according to its state in the list of universes. */
export function explainAbsence(state: 'alive' | 'ended' | 'unfinished' | undefined): ProblemError {
  return state === 'ended' ? universeEnded() : noUniverse()
}
