import ipaddr from 'ipaddr.js'
import { decodeUnreserved } from '../lib/uri-path.ts'
import { hasSamePort, hostOf, isSameMachine, mayBeServicePort } from './hosts.ts'
import { findUniverse } from './universe-address.ts'

// Prevents server-side request forgery: callers must not use the service to reach hosts that only the service can
// reach. Only the URL is checked, because a Worker cannot choose to which address of a public name a call goes. The URL
// parser has already normalised all other notations of a host (octal and hexadecimal numbers, full-width digits,
// percent-encoding, …).

/** The addresses of this service, by which its own URLs are recognised. */
export interface OwnHosts {
  /** Origins or base URLs of the service itself. Only their hosts and ports count. */
  ownOrigins: readonly string[]
  /**
   * The wildcard domain of universes; absent if there is none. The domain and all hosts below it belong to the service,
   * even if `ownOrigins` does not contain them. The rules for a callback of a universe, for example, may not contain
   * the address of the common world.
   */
  universeHost?: string | undefined
  /**
   * Hosts of the service that belong to no world and take no calls, as `host` or `host:port`; absent if there are none.
   */
  closedHosts?: readonly string[]
}

/** The rules of this deployment by which a URL is checked. */
export interface GuardRules extends OwnHosts {
  /** Whether private and loopback addresses are allowed, for use on a local machine. */
  allowsPrivate: boolean
  /** The host that is an echo on every path; absent or empty if there is none. */
  echoHost?: string | undefined
}

/** The part of the configuration that the rules depend on. */
export interface GuardConfig {
  publicUrl: string | undefined
  /** Further addresses of the service, as `host` or `host:port`. */
  ownAddresses: readonly string[]
  universeHost: string | undefined
  closedHosts: readonly string[]
  echoHost: string | undefined
  allowsPrivateTargets: boolean
}

/**
 * The rules for a URL that a request has registered.
 *
 * @param baseUrl The base URL of the service, as this request saw it
 */
export function guardRulesOf(baseUrl: string, config: GuardConfig): GuardRules {
  const { publicUrl, ownAddresses, universeHost, closedHosts, echoHost, allowsPrivateTargets } = config
  // The base URL comes from the header Host, in which a caller can write anything.
  const addresses = ownAddresses.map((address) => `http://${address}`)
  const ownOrigins = [...(publicUrl === undefined ? [] : [publicUrl]), baseUrl, ...addresses]
  return { allowsPrivate: allowsPrivateTargets, ownOrigins, universeHost, closedHosts, echoHost }
}

/** A target in this service: a world, and a path in this world. */
export interface OwnTarget {
  /** The id of the universe; undefined if the world is the common world. */
  universeId: string | undefined
  /** The path within the world, as the URL parser has normalised it. */
  path: string
}

/** Where a host is: on the internet, in a private network, or at an address that must never be called. */
type Reach = 'public' | 'private' | 'forbidden'

/**
 * Names that are not in the public DNS: those of RFC 6761, RFC 6762 (appendix G) and RFC 8375, and names in clusters.
 */
const PRIVATE_NAME =
  /(?:^|\.)(?:localhost|internal|local|localdomain[46]?|home\.arpa|intranet|private|corp|home|lan|svc)$/

/**
 * Hosts of cloud metadata services, which return the secrets of a machine. They are rejected even if private hosts are
 * allowed. Addresses in ranges that are always rejected, such as 169.254.0.0/16, are not listed.
 */
const METADATA_HOSTS = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'rancher-metadata',
  'instance-data',
  'instance-data.ec2.internal',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
]

const PRIVATE_RANGES = ['loopback', 'private', 'uniqueLocal']

/**
 * The part of IPv6 that can be public (RFC 4291, section 2.4). ipaddr.js knows the reserved ranges inside this part.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** The paths of a world that may be called: the echo changes nothing, and an inbox only stores the call. */
const OPEN_PATH = /^\/(?:echo(?:\/|$)|inboxes\/[^/%]+\/)/

/**
 * The beginning of a URL with user information (RFC 3986, section 3.2.1), up to its @. It is found in the text, because
 * the URL parser drops empty user information. The parser reads a backslash like a slash, and ignores tabs and line
 * breaks.
 */
const USER_INFO = /^[^/\\?#]*[/\\]*[^/\\?#]*@/

/** Dots, slashes and backslashes, percent-encoded once or several times. Decoding them would change the path. */
const ENCODED_DOT_OR_SLASH = /%(?:25)*(?:2e|2f|5c)/i

/** A character of ASCII, percent-encoded once or several times. */
const ENCODED_ASCII = /%(?:25)*([0-7][0-9a-f])/gi

/**
 * Paths that are not those of an application: the edge of Cloudflare and the local runtime serve them themselves, on
 * every host. There they run jobs, and return and store data, for everybody who can call the host.
 */
const PLATFORM_PATH = /^\/(?:cdn-cgi|__cf_local)(?:\/|$)/i

/**
 * Why the service may not call a URL. Checked when a URL is registered, and again before every call.
 *
 * @returns What is wrong with the URL, such as `must lead to a public address`; undefined if it may be called
 */
export function findTargetFault(text: string, rules: GuardRules): string | undefined {
  const url = parseTarget(text)
  if (!url) return 'must be an absolute http or https URL'
  if (USER_INFO.test(text.replaceAll(/[\t\n\r]/g, '')))
    return 'must not contain a user name, a password or an @ before its host'
  if (isPlatformPath(url.pathname)) return 'must not lead to a path below /cdn-cgi/ or /__cf_local/'
  if (isAtEchoHost(url, rules.echoHost)) return undefined
  const target = findOwnTarget(url, rules)
  if (target) {
    if (target === 'nowhere' || !isOpenPath(target.path)) {
      return 'must not lead to this service, except to its paths /echo and /inboxes/{id}/'
    }
    // A call to an inbox is delivered within the service. A call to the echo goes over the network, so its host is
    // checked below, although it is one of our origins. An origin can come from the Host header of a request, and that
    // header can name a private host.
    if (rules.allowsPrivate || isInInbox(target.path)) return undefined
  }
  const reach = reachOf(hostOf(url))
  if (reach === 'public') return undefined
  if (reach === 'private' && rules.allowsPrivate) return undefined
  return 'must lead to a public address'
}

/**
 * The target in this service that a URL leads to, so that an allowed call can be delivered within the service.
 * `findTargetFault` finds the target in the same way. This function does not check whether the target may be called.
 *
 * @returns Undefined if the URL leads elsewhere or to no world of this service, or if it is not http or https
 */
export function ownTargetOf(text: string, own: OwnHosts): OwnTarget | undefined {
  const url = parseTarget(text)
  const target = url && findOwnTarget(url, own)
  return target === 'nowhere' ? undefined : target
}

/**
 * Parses an http or https URL. Rejects hosts with an empty label: the DNS has no such names, but some resolvers accept
 * `127.0.0.1..`.
 */
function parseTarget(text: string): URL | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) && !/^\.|\.\./.test(url.hostname) ? url : undefined
}

/**
 * Whether a URL is at the host of the echo. Name and port are compared, but not the scheme.
 *
 * @param echoHost `host` or `host:port`; absent or empty if there is none
 */
export function isAtEchoHost(url: URL, echoHost: string | undefined): boolean {
  if (!echoHost) return false
  return isAtNameAndPort(url, new URL(`http://${echoHost}`))
}

/**
 * The target in this service that a URL leads to. Compares host and port, but not the scheme.
 *
 * @returns `nowhere` if the URL is at a host of this service that belongs to no world; undefined if it leads elsewhere
 */
function findOwnTarget(
  url: URL,
  { ownOrigins, universeHost, closedHosts = [] }: OwnHosts,
): OwnTarget | 'nowhere' | undefined {
  const worlds = universeHost === undefined ? ownOrigins : [...ownOrigins, `http://${universeHost}`]
  if (closedHosts.some((host) => isAtClosedHost(url, host, worlds))) return 'nowhere'
  const universe = findUniverse(url, universeHost, ownOrigins)
  if (universe === 'no-universe') return 'nowhere'
  const isHostOfUniverse = universe?.basePath === ''
  if (!isHostOfUniverse && !worlds.some((own) => isAtHostOf(url, own))) return undefined
  return { universeId: universe?.id, path: universe?.path ?? url.pathname }
}

/**
 * Whether a URL is at a host that takes no calls. Only equal names match: the other names of the local machine are not
 * this host, because they can belong to a world. A world can also have the same name at another port.
 */
function isAtClosedHost(url: URL, host: string, worlds: readonly string[]): boolean {
  const closed = new URL(`http://${host}`)
  if (!mayBeServicePort(url, closed) || hostOf(url) !== hostOf(closed)) return false
  return !worlds.some((own) => isAtNameAndPort(url, new URL(own)))
}

function isAtNameAndPort(url: URL, own: URL): boolean {
  return hasSamePort(url, own) && hostOf(url) === hostOf(own)
}

function isAtHostOf(url: URL, own: string): boolean {
  const ownUrl = new URL(own)
  return mayBeServicePort(url, ownUrl) && isSameMachine(url, ownUrl)
}

/**
 * Whether a path leads to the platform, for any receiver: one that decodes it once or several times, that reads a
 * backslash like a slash, that resolves dots after that, or that ignores empty segments.
 */
function isPlatformPath(path: string): boolean {
  const plain = decodeAscii(path)
    .replaceAll('\\', '/')
    .replaceAll(/\/{2,}/g, '/')
  const { pathname } = new URL(plain.replaceAll(/[?#]/g, '_'), 'http://localhost')
  return PLATFORM_PATH.test(pathname)
}

/** Decodes the characters of ASCII, also those that are encoded several times. Each round makes the text shorter. */
function decodeAscii(text: string): string {
  for (let decoded = text; ; text = decoded) {
    decoded = text.replaceAll(ENCODED_ASCII, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    if (decoded === text) return text
  }
}

function isOpenPath(path: string): boolean {
  return OPEN_PATH.test(path) && !ENCODED_DOT_OR_SLASH.test(path)
}

function reachOf(host: string): Reach {
  if (METADATA_HOSTS.includes(host)) return 'forbidden'
  if (host.includes(':') || /^[\d.]+$/.test(host)) return reachOfAddress(host)
  return PRIVATE_NAME.test(host) || !host.includes('.') ? 'private' : 'public'
}

/**
 * The reach of an IP address. An IPv4-mapped IPv6 address is never public: its meaning depends on the machine, and a
 * URL can contain the IPv4 address instead.
 */
function reachOfAddress(host: string): Reach {
  // `process` converts an IPv4-mapped address to IPv4. `parse` does not, so it is not in GLOBAL_UNICAST below.
  const range = ipaddr.process(host).range()
  if (PRIVATE_RANGES.includes(range)) return 'private'
  const address = ipaddr.parse(host)
  const mayBePublic = address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
  return range === 'unicast' && mayBePublic ? 'public' : 'forbidden'
}

const INBOX_PATH = /^\/([^/]+)\/([^/]+)(\/.*)$/

export function isInInbox(pathname: string): boolean {
  return splitInboxPath(pathname).path !== ''
}

/**
 * The id of the inbox that a path belongs to, and the path below the inbox, as it was sent; both are empty if there is
 * no inbox.
 */
export function splitInboxPath(pathname: string): { inboxId: string; path: string } {
  const [, folder = '', inboxId = '', path = ''] = INBOX_PATH.exec(pathname) ?? []
  if (decodeUnreserved(folder) !== 'inboxes') return { inboxId: '', path: '' }
  return { inboxId: decodeUnreserved(inboxId), path }
}
