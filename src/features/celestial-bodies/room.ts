import { CelestialBody } from '../../schemas/celestial-body.ts'
import { ANY_TIME, LONGEST_ID, requireRoomForDocument, UNNAMED_CREATOR, withLongestId } from '../planets/room.ts'
import { type CelestialBodyDraft, presentCelestialBody } from './representation.ts'

/** @throws ProblemError 413 if a client that reads the celestial body could not send it back */
export function requireRoomForCelestialBody({ satellites, ...draft }: CelestialBodyDraft): void {
  const body = presentCelestialBody({
    ...draft,
    id: LONGEST_ID,
    // Without a name, because HEADROOM_BYTES includes room for the name of the planet.
    planet: { id: LONGEST_ID, name: '' },
    satellites: (satellites ?? []).map(withLongestId),
    listsSatellites: satellites !== undefined,
    creator: UNNAMED_CREATOR,
    lastUpdated: ANY_TIME,
  })
  requireRoomForDocument(body, CelestialBody, 'celestial body')
}
