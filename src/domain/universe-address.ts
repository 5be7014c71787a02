import { newBase32 } from '../lib/ids.ts'
import { hostOf, mayBeServicePort } from './hosts.ts'

// The addresses of universes. Each universe has an address by path, and one by host if the deployment has a wildcard
// domain (UNIVERSE_HOST). Only this file knows the form of these addresses.

/** What `newBase32` makes. */
const UNIVERSE_ID = /^[a-z2-7]{24}$/

const UNIVERSE_PATH = /^\/u\/([a-z2-7]{24})(\/.*)?$/

/**
 * Metadata of an issuer with a path. RFC 8414, section 3.1 and RFC 9728, section 3.1 put it at the origin, with the
 * path of the issuer at the end.
 */
const METADATA_PATH = /^(\/\.well-known\/(?:oauth-authorization-server|oauth-protected-resource))\/u\/([a-z2-7]{24})$/

export interface UniverseAddress {
  id: string
  /** The prefix of the paths of the universe: `/u/{id}`, or empty if the universe has a host of its own. */
  basePath: string
  /** The path within the universe, as the app sees it. */
  path: string
}

/** Creates the id of a new universe. Nobody can guess it. */
export function makeUniverseId(): string {
  return newBase32('universe')
}

/** Whether a text has the form of a universe's id. */
export function isUniverseId(text: string): boolean {
  return UNIVERSE_ID.test(text)
}

/**
 * A host is compared without regard to case, a path exactly.
 *
 * @param universeHost The wildcard domain of universes; undefined if there is none
 * @param commonUrls URLs of the common world. Their hosts may be below `universeHost`, although these hosts are not
 * universes
 * @returns `no-universe` if the URL is at a host below `universeHost` that is not a universe; undefined if the URL does
 * not lead to a universe
 */
export function findUniverse(
  url: URL,
  universeHost: string | undefined,
  commonUrls: readonly string[] = [],
): UniverseAddress | 'no-universe' | undefined {
  const label = universeLabelOf(url, universeHost)
  if (label !== undefined && UNIVERSE_ID.test(label)) return { id: label, basePath: '', path: url.pathname }
  if (label !== undefined && !commonUrls.some((own) => hostOf(new URL(own)) === hostOf(url))) return 'no-universe'
  const [, id, path = '/'] = UNIVERSE_PATH.exec(url.pathname) ?? []
  if (id !== undefined) return { id, basePath: universePath(id), path }
  const [, metadataPath, issuerId] = METADATA_PATH.exec(url.pathname) ?? []
  if (metadataPath === undefined || issuerId === undefined) return undefined
  return { id: issuerId, basePath: universePath(issuerId), path: metadataPath }
}

/** The variables of a deployment that decide which addresses its universes have. */
interface AddressConfig {
  /** Undefined if a universe is addressed by path at any host that leads to the service. */
  publicUrl: string | undefined
  universeHost: string | undefined
}

/** The universe that a request of this deployment is for, see `findUniverse`. */
export function findRequestedUniverse(
  url: URL,
  { publicUrl, universeHost }: AddressConfig,
): UniverseAddress | 'no-universe' | undefined {
  return findUniverse(url, universeHost, publicUrl === undefined ? [] : [publicUrl])
}

/** Whether a text is exactly the base URL of a universe: its address by path or by host. */
export function isAddressOf(id: string, baseUrl: string, config: AddressConfig): boolean {
  if (!URL.canParse(baseUrl)) return false
  const url = new URL(baseUrl)
  const address = findRequestedUniverse(url, config)
  if (address === undefined || address === 'no-universe' || address.id !== id) return false
  // The comparisons of the whole text also exclude paths below the address, and other ways to write the address.
  const isByHost = address.basePath === ''
  if (isByHost) {
    return config.universeHost !== undefined && baseUrl === universeHostUrl(id, config.universeHost, baseUrl)
  }
  if (config.publicUrl !== undefined && url.origin !== config.publicUrl) return false
  return baseUrl === url.origin + address.basePath
}

/** The prefix of the paths of a universe that is addressed by path. */
export function universePath(id: string): string {
  return `/u/${id}`
}

/**
 * The base URL of a universe that is addressed by host.
 *
 * @param baseUrl Any base URL of this deployment. Only its scheme is used
 */
export function universeHostUrl(id: string, universeHost: string, baseUrl: string): string {
  return new URL(`${new URL(baseUrl).protocol}//${id}.${universeHost}`).origin
}

/** The label or labels before the wildcard domain; undefined if the host of the URL is not below this domain. */
function universeLabelOf(url: URL, universeHost: string | undefined): string | undefined {
  if (universeHost === undefined) return undefined
  const host = hostOf(url)
  const domain = new URL(`http://${universeHost}`)
  const suffix = `.${hostOf(domain)}`
  return mayBeServicePort(url, domain) && host.endsWith(suffix) ? host.slice(0, -suffix.length) : undefined
}
