import type { Caller } from '../../auth/scheme.ts'
import type { Requirement } from '../../changes/change.ts'
import { commit } from '../../changes/commit.ts'
import { LostRace } from '../../changes/requirements.ts'
import { planetNotFound } from '../../domain/problems.ts'
import { preconditionFailed } from '../../http/conditions.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { openAtLatestState } from '../../http/pipeline/lost-races.ts'
import * as store from '../../stores/planets.ts'
import { type StoredPlanet, selectPlanet } from '../../stores/stored-planet.ts'
import { requireCreator } from './access.ts'
import { planetDeleted } from './happenings.ts'
import { requireExpectedVersion } from './versions.ts'

/**
 * Deletes a planet with its satellites. If another writer was faster, the planet is read again, so that the event has
 * its last state, and is then deleted in any version.
 *
 * @returns The key of the upload that it showed; null if it showed none
 * @throws ProblemError 404 if the planet was deleted since it was read; 412 if the condition names another version
 */
export async function deletePlanet(
  read: StoredPlanet,
  caller: Caller,
  context: RequestContext,
): Promise<string | null> {
  const isConditional = requireExpectedVersion(context, read)
  try {
    return await remove(read, store.unchanged(read), context)
  } catch (error) {
    if (!(error instanceof LostRace)) throw error
    if (isConditional) throw preconditionFailed()
    const current = requireCreator(await openAtLatestState(context).read(selectPlanet(read.id)), caller)
    return await remove(current, store.existing(current, planetNotFound()), context)
  }
}

async function remove(planet: StoredPlanet, requirement: Requirement, context: RequestContext): Promise<string | null> {
  const {
    results: [[deleted]],
  } = await commit(context, {
    requires: [requirement],
    statements: [store.deletePlanet(planet.id)],
    happened: planetDeleted(planet, context),
  })
  return deleted?.imageKey ?? null
}
