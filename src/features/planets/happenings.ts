import { eventOriginOf } from '../../auth/event-origin.ts'
import { imageUrlPrefix } from '../../domain/image-url.ts'
import { findOldValues } from '../../events/changes.ts'
import type { Happening } from '../../events/happening.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { declaredPart } from '../../schemas/declared-part.ts'
import { Planet } from '../../schemas/planet.ts'
import { OWN_ID_MARK, satelliteIdMark } from '../../stores/callbacks/planet-template.ts'
import type { LoggedChange } from '../../stores/logged-planets.ts'
import type { PlanetDraft } from '../../stores/planets.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'
import { presentPlanet } from './representation.ts'

// The rows of the log for requests to planets (events/happening.ts).

/** An id that the schema accepts. */
const ANY_ID = 1

type HappeningOf<Kind extends Happening['kind']> = Extract<Happening, { kind: Kind }>
type Creator = StoredPlanet['creator']

/** A planet that is not written yet: its satellites have no id if they are new. */
type FuturePlanet = Pick<StoredPlanet, 'properties' | 'listsSatellites' | 'imageKey' | 'lastUpdated'> & {
  /** Undefined if the planet is new. */
  id: number | undefined
  creator: Creator
  satellites: NonNullable<PlanetDraft['satellites']>
}

/** A new planet. */
export function planetCreated(
  draft: PlanetDraft,
  creator: Creator,
  context: RequestContext,
): HappeningOf<'planet_created'> {
  const { properties, satellites } = draft
  const future = {
    id: undefined,
    properties,
    creator,
    imageKey: null,
    lastUpdated: context.now,
    satellites: satellites ?? [],
    listsSatellites: satellites !== undefined,
  }
  return { kind: 'planet_created', body: previewPlanet(future, context), details: eventOriginOf(creator, context) }
}

/** A planet whose properties are replaced. */
export function planetReplaced(
  planet: StoredPlanet,
  { properties, satellites, image }: PlanetDraft & { image: 'keep' | 'drop' },
  context: RequestContext,
): HappeningOf<'planet_updated'> {
  const future = {
    id: planet.id,
    properties,
    creator: planet.creator,
    lastUpdated: timeAfter(planet, context),
    satellites: satellites ?? [],
    listsSatellites: satellites !== undefined,
    imageKey: image === 'drop' ? null : planet.imageKey,
  }
  const before = declaredPart(Planet, presentPlanet(planet, context.imageBaseUrl))
  const after = previewPlanet(future, context)
  const details = { ...eventOriginOf(planet.creator, context), old: findOldValues(before, after) }
  return { kind: 'planet_updated', body: after, details }
}

/** The data for the log about a change of a planet, besides the planet itself, which SQL reads from the database. */
export function loggedChange(caller: Creator, context: RequestContext): LoggedChange {
  return { origin: eventOriginOf(caller, context), imageUrlPrefix: imageUrlPrefix(context.imageBaseUrl) }
}

/** A planet that explodes, in its last state. */
export function planetExploded(planet: StoredPlanet, context: RequestContext): HappeningOf<'planet_exploded'> {
  const body = declaredPart(Planet, presentPlanet(planet, context.imageBaseUrl))
  return { kind: 'planet_exploded', body, details: eventOriginOf(planet.creator, context) }
}

/** The time of a write. It is never before the previous write, as in `timeOfWrite`, which the database uses. */
function timeAfter({ lastUpdated }: StoredPlanet, { now }: RequestContext): Date {
  return lastUpdated > now ? lastUpdated : now
}

/**
 * A planet as GET will return it. Ids that are not known yet are marks, which the database replaces with the ids
 * (`planet-template.ts`).
 */
function previewPlanet(future: FuturePlanet, { imageBaseUrl }: RequestContext): Planet {
  // The schema accepts no marks, so unknown ids are `ANY_ID` in the document. The marks replace them afterwards.
  const satellites = future.satellites.map(({ id, properties }) => ({ id: id ?? ANY_ID, properties }))
  const planet = declaredPart(Planet, presentPlanet({ ...future, id: future.id ?? ANY_ID, satellites }, imageBaseUrl))
  const id = future.id ?? OWN_ID_MARK
  const marked = {
    ...planet,
    id,
    ...(planet.satellites && {
      satellites: planet.satellites.map(({ orbit, ...satellite }, position) => ({
        ...satellite,
        id: future.satellites[position]?.id ?? satelliteIdMark(position),
        ...(orbit && { orbit: { ...orbit, planet: { ...orbit.planet, id } } }),
      })),
    }),
  }
  // The cast hides that a mark is a string. The database replaces it with a number when it stores the event.
  return marked as unknown as Planet
}
