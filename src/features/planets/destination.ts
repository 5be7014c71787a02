import { ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { decodeUnreserved } from '../../lib/uri-path.ts'
import { PlanetPath } from '../../schemas/fields.ts'

/** The URL of the planets of a world, or of one of them. The groups: the base URL of the world, and the id. */
const PLANETS_URL = /^(.+)\/planets(?:\/(.*))?$/

/**
 * The planet to which the header `Destination` of a COPY leads.
 *
 * @param reference A URI reference
 * @param sourceId The planet that is copied
 * @returns Its id, also if there is no such planet; undefined if the service chooses the id
 * @throws ProblemError 400
 */
export function readDestination(
  reference: string,
  sourceId: number,
  { baseUrl, services }: RequestContext,
): number | undefined {
  // The paths of the document count from the base URL, which may have a path itself.
  const fromBase = reference.startsWith('/planets') ? baseUrl + reference : reference
  const url = URL.parse(fromBase, `${baseUrl}/planets/${sourceId}`)
  const [, ownUrl = '', id = ''] = PLANETS_URL.exec(decodeUnreserved(url?.href ?? '')) ?? []
  const planetId = PlanetPath.shape.planetId.safeParse(id)
  // The addresses of a world are those that its tokens can name.
  const isUsable = services.isOwnIssuer(ownUrl, baseUrl) && (id === '' || planetId.success)
  if (isUsable && !/[?#]/.test(reference)) return planetId.data
  throw new ProblemError(
    'bad-request',
    `Destination must be ${baseUrl}/planets, if the service chooses the id, or ${baseUrl}/planets/{planetId}, without a query and a fragment. A path that begins with /planets counts from ${baseUrl}.`,
  )
}
