import type { Caller } from '../../auth/scheme.ts'
import { ProblemError, planetNotFound } from '../../domain/problems.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'

/** @throws ProblemError 404 if it found none */
export function requireFound<Planet>(planet: Planet | undefined): Planet {
  if (planet) return planet
  throw planetNotFound()
}

/** @throws ProblemError 404 if there is no planet; 403 if the caller is not its creator */
export function requireCreator<Planet extends StoredPlanet>([planet]: readonly Planet[], caller: Caller): Planet {
  const found = requireFound(planet)
  if (found.creator.id === caller.id) return found
  throw new ProblemError('forbidden', 'Only the creator of a planet can change it.')
}
