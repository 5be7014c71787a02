import { GALAXY_USER_ID } from '../../domain/galaxy-user.ts'
import { getPlanet, replyPlanet } from '../../features/planets/get-planet.ts'
import { type FoundPlanet, readPlanet } from '../../features/planets/read-planet.ts'
import { pageWorldOf } from '../../http/pages.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { FORMATS, type FormatName } from '../../http/pipeline/formats.ts'
import { replySender } from '../../http/pipeline/send-reply.ts'
import type { Planet } from '../../schemas/planet.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import type { Services } from '../../services.ts'
import { findNeighbours, type Neighbours } from '../../stores/neighbours.ts'

export interface ShownPlanet {
  planet: Planet
  /** Whether the planet came with the service and has not been changed since. */
  isShipped: boolean
  /** The path of its uploaded picture; undefined if it has none. */
  picture: string | undefined
  neighbours: Neighbours
  /** The URL of the planet in the API. */
  url: string
  json: Representation
  xml: Representation
}

/** The response of the API to a request for the planet in one format. */
interface Representation {
  headers: Headers
  text: string
}

/**
 * Reads a planet, and creates the responses of the API to requests for the planet.
 *
 * @throws ProblemError 404 if there is no such planet
 */
export async function readShownPlanet(id: number, context: RequestContext): Promise<ShownPlanet> {
  const found = await readPlanet(id, context)
  const { creator, imageKey } = found.planet
  return {
    planet: presentPlanet(found.planet, context.imageBaseUrl),
    isShipped: creator.id === GALAXY_USER_ID && !isWorkOfOwner(found, context.services),
    picture: imageKey === null ? undefined : `/images/${imageKey}`,
    neighbours: await findNeighbours(context.session.db, id),
    url: `${context.baseUrl}/planets/${id}`,
    json: await represent(found, 'json', context),
    xml: await represent(found, 'xml', context),
  }
}

/** Whether the owner of a universe has made or changed a planet since the universe was made. */
function isWorkOfOwner({ planet }: FoundPlanet, { universe }: Pick<Services, 'universe'>): boolean {
  return universe !== undefined && planet.lastUpdated >= universe.describe().createdAt
}

const sendPlanet = replySender(getPlanet)

/** The response of the operation `getPlanet` to a request whose only header is `Accept`. */
async function represent(
  found: FoundPlanet,
  format: FormatName,
  { services, baseUrl, imageBaseUrl, now }: RequestContext,
): Promise<Representation> {
  const headers = new Headers({ Accept: FORMATS[format].mediaType })
  const reply = replyPlanet(found, { services, imageBaseUrl, now, headers, format })
  const response = sendPlanet(reply, format, headers, pageWorldOf(baseUrl, services))
  return { headers: response.headers, text: await response.text() }
}
