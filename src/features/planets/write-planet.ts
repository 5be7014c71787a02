import type { Caller } from '../../auth/scheme.ts'
import type { Database } from '../../db/port.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import { selectPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'
import { requireCreator } from './access.ts'

/**
 * Writes a planet of the caller. If another writer was faster, the planet is read again and the write is repeated.
 *
 * @param isConditional The result of `requireExpectedVersion`
 * @param write Commits a change that requires that the planet is unchanged
 * @throws ProblemError 404 if the planet was deleted since it was read; 409 if it kept changing; 412 if the condition
 * names another version; any error of `write`
 */
export async function writePlanet<Outcome>(
  read: WritablePlanet,
  { isConditional, caller, context }: { isConditional: boolean; caller: Caller; context: RequestContext },
  write: (planet: WritablePlanet) => Promise<Outcome>,
): Promise<Outcome> {
  const reread = async (db: Database) => requireCreator(await db.read(selectPlanet(read.id)), caller)
  return await writeWhatWasRead({ resource: `planet ${read.id}`, read, isConditional, write, reread }, context)
}
