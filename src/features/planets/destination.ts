import { hasSamePort } from '../../domain/hosts.ts'
import { ProblemError } from '../../domain/problems.ts'
import { guardRulesOf, ownTargetOf } from '../../domain/url-guard.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { decodeUnreserved } from '../../lib/uri-path.ts'
import { PlanetPath } from '../../schemas/fields.ts'

/** The path of the planets of a world, or of one of them, with its id. */
const PLANETS_PATH = /^\/planets(?:\/(.*))?$/

/**
 * The planet to which the header `Destination` of a COPY leads.
 *
 * @param reference A URI reference
 * @param sourceId The planet that is copied
 * @returns Its id, also if there is no such planet; undefined if the service chooses the id
 * @throws ProblemError 400
 */
export function readDestination(reference: string, sourceId: number, context: RequestContext): number | undefined {
  const { baseUrl } = context
  // The paths of the document count from the base URL, which may have a path itself.
  const fromBase = reference.startsWith('/planets') ? baseUrl + reference : reference
  const url = URL.parse(fromBase, `${baseUrl}/planets/${sourceId}`)
  const path = url && pathInThisWorld(url, context)
  const [found, id = ''] = PLANETS_PATH.exec(decodeUnreserved(path ?? '')) ?? []
  const planetId = PlanetPath.shape.planetId.safeParse(id)
  if (found !== undefined && (id === '' || planetId.success) && !/[?#]/.test(reference)) return planetId.data
  throw new ProblemError(
    'bad-request',
    `Destination must be ${baseUrl}/planets, if the service chooses the id, or ${baseUrl}/planets/{planetId}, without a query and a fragment. A path that begins with /planets counts from ${baseUrl}.`,
  )
}

/**
 * The path of a URL within this world, at any of its addresses; undefined if the URL leads elsewhere. The addresses are
 * those to which no callback may go. The scheme does not count, because a proxy in front of the service can speak
 * another one. The port does: the guard of callbacks must also expect the service at ports that it does not know.
 */
function pathInThisWorld(url: URL, { baseUrl, services }: RequestContext): string | undefined {
  const rules = guardRulesOf(baseUrl, services.config)
  const { ownOrigins, universeHost } = rules
  const target = ownTargetOf(url.href, rules)
  const origins = universeHost === undefined ? ownOrigins : [...ownOrigins, `http://${universeHost}`]
  const hasOwnPort = origins.some((own) => hasSamePort(url, new URL(own)))
  const isPlain = url.username === '' && url.password === ''
  return target?.universeId === services.worldId && hasOwnPort && isPlain ? target?.path : undefined
}
