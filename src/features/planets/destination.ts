import { basePathOf } from '../../domain/base-url.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { decodeUnreserved } from '../../lib/uri-path.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import type { Services } from '../../services.ts'

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
  const isOwn = ownUrl === baseUrl || isOtherAddress(ownUrl, baseUrl, services)
  if (isOwn && (id === '' || planetId.success) && !/[?#]/.test(reference)) return planetId.data
  throw new ProblemError(
    'bad-request',
    `Destination must be ${baseUrl}/planets, if the service chooses the id, or ${baseUrl}/planets/{planetId}, without a query and a fragment. A path that begins with /planets counts from ${baseUrl}.`,
  )
}

/**
 * Whether a URL is the other address of this world: that by host, if the request came by path, or the other way round.
 * The addresses of a world are those that its tokens can name.
 */
function isOtherAddress(url: string, baseUrl: string, { isOwnIssuer }: Pick<Services, 'isOwnIssuer'>): boolean {
  return basePathOf(url) !== basePathOf(baseUrl) && isOwnIssuer(url, baseUrl)
}
