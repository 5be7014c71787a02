import { doc } from '#doc'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import type { Database } from '../../db/port.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { type IdRange, ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { CopyHeaders } from '../../schemas/copy.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { Planet, type PlanetInput } from '../../schemas/planet.ts'
import { type ChosenId, choosableIds, chooseId, selectChoice } from '../../stores/chosen-ids.ts'
import { unchanged } from '../../stores/planets.ts'
import { selectPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'
import { requireCreator, requireFound } from './access.ts'
import { CopiedUpload } from './copied-upload.ts'
import { createPlanet, replyCreated } from './create-planet.ts'
import { readDestination } from './destination.ts'
import { GET_PLANET } from './links.ts'
import { replaceOnce, withoutImage } from './replace-planet.ts'
import { requireExpectedVersion } from './versions.ts'

export const copyPlanet = defineRoute({
  method: 'copy',
  path: '/planets/{planetId}',
  operationId: 'copyPlanet',
  tag: 'Planets',
  labels: ['Planets', 'Partners'],
  summary: 'Copy a planet',
  description: doc(
    'Copies any planet, with its satellites and its uploaded image, to the `Destination`. The copy belongs to you. A new id can be chosen: it is above all ids that were given so far, by at most 1,000, and at most 10,000 ids can be passed over in a day. If the `Destination` is one of your planets, it is replaced as by PUT, and its uploaded image goes. Callback URLs are not copied. `If-Match` is about the planet that is copied. A body is ignored.',
  ),
  since: '2.0.0',
  keepsReply: true,
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  headers: CopyHeaders,
  prefetch: ({ planetId }) => selectPlanet(planetId),
  responses: {
    200: { description: doc('The planet of yours that was replaced'), schema: Planet },
    201: {
      description: doc('The copy'),
      schema: Planet,
      headers: ['Location', 'ETag', 'Last-Modified'],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}/planets/1` },
      links: GET_PLANET,
    },
  },
  problems: ['forbidden', 'account-limit-reached', 'conflict', 'destination-unavailable', 'precondition-failed'],
  async handle({ params: { planetId }, headers: { Destination, Overwrite }, caller, prefetched }, context) {
    const destination = { id: readDestination(Destination, planetId, context), isKept: Overwrite === 'F' }
    const look = (db: Database, [source]: readonly WritablePlanet[]) => plan(source, destination, caller, db, context)
    const upload = new CopiedUpload(context)
    const copying = {
      resource: `planet ${destination.id ?? planetId}`,
      read: await look(context.session.db, prefetched),
      // A condition is checked again for each plan.
      isConditional: false,
      write: (planned: Plan) => carryOut(planned, upload, caller, context),
      reread: async (db: Database) => await look(db, await db.read(selectPlanet(planetId))),
    }
    return await upload.useIn(() => writeWhatWasRead(copying, context))
  },
})

interface Destination {
  /** Undefined if the service chooses the id. */
  id: number | undefined
  /** Whether an existing planet must not be replaced. */
  isKept: boolean
}

/** What is to be copied where, as it was read. */
interface Plan {
  source: WritablePlanet
  /** The id of a new planet; undefined if the service chooses it, or if there is a planet. */
  chosen: ChosenId | undefined
  /** The planet that is replaced; undefined if there is none. */
  replaced: WritablePlanet | undefined
}

/**
 * Looks whether and how a planet can be copied. One round trip if the id is chosen, otherwise none.
 *
 * @throws ProblemError 404 if there is no source; 412 if the condition does not hold, or the destination is kept; 403
 * if the source is the destination, or the destination belongs to another user; 409 if a new planet cannot have the id
 */
async function plan(
  found: WritablePlanet | undefined,
  { id, isKept }: Destination,
  caller: Caller,
  db: Database,
  context: RequestContext,
): Promise<Plan> {
  const source = requireFound(found)
  requireExpectedVersion(context, source)
  if (id === undefined) return { source, chosen: undefined, replaced: undefined }
  if (id === source.id) throw new ProblemError('forbidden', 'A planet cannot be copied onto itself.')
  const { now } = context
  const [planets, choices] = await db.batch([selectPlanet(id), selectChoice(caller.id, now)])
  if (planets.length > 0) {
    if (isKept)
      throw new ProblemError('precondition-failed', 'There is a planet at the Destination, and Overwrite is F.')
    return { source, chosen: undefined, replaced: requireCreator(planets, caller) }
  }
  const [choice] = choices
  if (!choice) throw new Error('the database does not count the ids of planets')
  requireChoosable(id, choosableIds(choice))
  const inAdvance = context.services.ids.countBelow('planets', id)
  return { source, chosen: chooseId(id, choice, inAdvance, caller.id, now), replaced: undefined }
}

/** @throws ProblemError 409 */
function requireChoosable(id: number, idRange: IdRange): void {
  const { from, to } = idRange
  if (from <= id && id <= to) return
  const choice = from > to ? 'No id can be chosen any more.' : `A new planet can have an id from ${from} to ${to} now.`
  const detail = `${choice} With the Destination /planets, the service chooses it.`
  throw new ProblemError('destination-unavailable', detail, { idRange })
}

/** @throws LostRace if the source or the destination is not as it was read; any error of the write */
async function carryOut(
  { source, chosen, replaced }: Plan,
  upload: CopiedUpload,
  caller: Caller,
  context: RequestContext,
) {
  const requires = [unchanged(source)]
  const input = contentOf(source)
  const image = await upload.of(source, { userId: caller.id, bodies: replaced ? 0 : 1 }, replaced?.imageKey ?? null)
  if (replaced) return await replaceOnce(replaced, { input, image, requires }, context)
  const planet = { input, extras: null, chosen, image, requires }
  return await createPlanet(planet, caller, context, (created) => replyCreated(created, context))
}

/** What is copied of a planet, apart from its upload: what GET shows, without what the service sets and callback URLs. */
function contentOf({ properties, imageKey, listsSatellites, satellites }: WritablePlanet): PlanetInput {
  const { successCallbackUrl: _success, failureCallbackUrl: _failure, ...shown } = properties
  return {
    // An upload hides another image.
    ...(imageKey === null ? shown : withoutImage(shown)),
    ...(listsSatellites && { satellites: satellites.map((satellite) => satellite.properties) }),
  }
}
