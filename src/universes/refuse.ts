import { PROBLEMS, ProblemError, unknownPath } from '../domain/problems.ts'
import { findRequestedUniverse } from '../domain/universe-address.ts'
import type { App, HonoEnv } from '../http/pipeline/context.ts'
import type { Services } from '../services.ts'

/** The error for every request to a universe that has ended. */
export function universeEnded(): ProblemError {
  return new ProblemError('universe-ended', PROBLEMS['universe-ended'].example.detail)
}

/** The context that Hono passes on. */
export type WorkContext = Pick<ExecutionContext, 'waitUntil' | 'passThroughOnException' | 'props'>

/**
 * Refuses a request to a universe in the name of the common world, whatever it asks for.
 *
 * @param services Those of the common world
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
  const isByHost = address === 'none' || address?.basePath === ''
  // At the host of a universe, only PUBLIC_URL tells where the common world is.
  const baseUrlOf = isByHost ? () => services.config.publicUrl : services.baseUrlOf
  // An id that no universe has can be any text, which the log must not contain.
  const worldId = refusal.code === 'not-found' || address === 'none' ? undefined : address?.id
  return await app.fetch(request, { services: { ...services, baseUrlOf, worldId }, refusal, takeLine }, context)
}

/** The error for a request to a universe that does not exist, according to its state in the list of universes. */
export function explainAbsence(state: 'alive' | 'ended' | 'unfinished' | undefined): ProblemError {
  return state === 'ended' ? universeEnded() : unknownPath()
}
