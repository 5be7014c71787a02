import ipaddr from 'ipaddr.js'

// Keeps the service from being used to reach what only the service can reach (server-side request forgery). It judges the
// URL alone: where a public name leads to, a Worker can neither ask nor pin. Every other way of writing a host (octal and
// hexadecimal numbers, full-width digits, percent-encoding, …) the URL parser has folded before it is judged.

/** What the answer depends on besides the URL. */
export interface GuardRules {
  /** Whether private and loopback addresses may be called: on one's own machine. */
  allowsPrivate: boolean
  /** Origins of the service itself. */
  ownOrigins: readonly string[]
  /** The host that answers every path as an echo; absent or empty where there is none. */
  echoHost?: string | undefined
}

/** How far a host is known to lead: out into the internet, into a private network, or where nobody may be called. */
type Reach = 'public' | 'inside' | 'nowhere'

/** Names that no public name server knows: of RFC 6761, RFC 6762 (appendix G), RFC 8375 and clusters. */
const PRIVATE_NAME =
  /(?:^|\.)(?:localhost|internal|local|localdomain[46]?|home\.arpa|intranet|private|corp|home|lan|svc)$/

/** Where clouds tell a machine its secrets, as far as no range below has it. Refused even where private hosts are not. */
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

/** All of IPv6 that may be public (RFC 4291, section 2.4); within it the ranges of ipaddr.js are the exceptions. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Hosts that reach the machine itself, with the names that systems give it in their hosts file. */
const LOOPBACK =
  /^(?:127\.[\d.]+|0\.0\.0\.0|::1?|(?:.+\.)?localhost|localhost[46]?(?:\.localdomain[46]?)?|ip6-(?:localhost|loopback))$/

const WEB_PORTS = ['', '80', '443']

/** What of the service itself may be called: places that are made to be called, so no call of one does anything else. */
const OPEN_PATH = /^\/(?:echo(?:\/|$)|inboxes\/[^/%]+\/)/

/** What ends with an @ before the host (RFC 3986, section 3.2.1). The URL parser forgets an empty one. */
const USER_INFO = /^[^/\\?#]*[/\\]*[^/\\?#]*@/

/** Dots, slashes and backslashes that a second decoding would bring to light, however often they are encoded. */
const HIDDEN_STEP = /%(?:25)*(?:2e|2f|5c)/i

/**
 * Tells why the service may not call a URL. Asked when a URL is given, and again before every call.
 *
 * @returns A fault for who has given the URL, of which the member is the subject; undefined where it may be called
 */
export function findTargetFault(text: string, rules: GuardRules): string | undefined {
  const url = parseTarget(text)
  if (!url) return 'must be an absolute http or https URL'
  if (USER_INFO.test(text)) return 'must not contain a user name, a password or an @ before its host'
  if (isEcho(url, rules.echoHost)) return undefined
  if (isOwn(url, rules.ownOrigins)) {
    if (!isOpen(url.pathname)) return 'must not lead to this service, except to its paths /echo and /inboxes/{id}/'
    // An inbox is called within the service. A call of the echo leaves it, for whatever name the caller has called it by.
    if (rules.allowsPrivate || url.pathname.startsWith('/inboxes/')) return undefined
  }
  const reach = reachOf(hostOf(url))
  return reach === 'public' || (reach === 'inside' && rules.allowsPrivate) ? undefined : 'must lead to a public address'
}

/**
 * The path of a URL on the service itself, by the same rule as `findTargetFault`, so that what is allowed there can be
 * delivered within the service. It is the path as the URL parser has folded it; whether it may be called is not judged.
 *
 * @returns undefined where the URL leads elsewhere, or is none of http or https
 */
export function ownPathOf(text: string, ownOrigins: readonly string[]): string | undefined {
  const url = parseTarget(text)
  return url && isOwn(url, ownOrigins) ? url.pathname : undefined
}

/** Without hosts that have an empty label: no name server knows them, but a resolver may read `127.0.0.1..` as it likes. */
function parseTarget(text: string): URL | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) && !/^\.|\.\./.test(url.hostname) ? url : undefined
}

/** The host as the URL parser writes it, without the brackets of IPv6 and the dot that ends an absolute name. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '')
}

/**
 * Tells whether a URL is at the host of the echo: by name and port, whatever the scheme.
 *
 * @param echoHost `host` or `host:port`; absent or empty where there is none
 */
export function isEcho(url: URL, echoHost: string | undefined): boolean {
  if (!echoHost) return false
  const echo = new URL(`http://${echoHost}`)
  return hasSamePort(url, echo) && hostOf(url) === hostOf(echo)
}

/** By host and port, whatever the scheme. */
function isOwn(url: URL, ownOrigins: readonly string[]): boolean {
  return ownOrigins.map((origin) => new URL(origin)).some((own) => hasOwnPort(url, own) && isSameMachine(url, own))
}

/** Who answers at the ports of the web may do so at any: Cloudflare's edge does at a dozen. */
function hasOwnPort(url: URL, own: URL): boolean {
  return hasSamePort(url, own) || (WEB_PORTS.includes(own.port) && !LOOPBACK.test(hostOf(own)))
}

/** Who listens on 443 mostly listens on 80 too. */
function hasSamePort(url: URL, own: URL): boolean {
  return url.port === own.port || (WEB_PORTS.includes(url.port) && WEB_PORTS.includes(own.port))
}

function isSameMachine(url: URL, own: URL): boolean {
  const [host, ownHost] = [unmap(hostOf(url)), unmap(hostOf(own))]
  return host === ownHost || (LOOPBACK.test(host) && LOOPBACK.test(ownHost))
}

/** The IPv4 address that an IPv4-mapped one reaches (RFC 4291, section 2.5.5.2); any other host as it is. */
function unmap(host: string): string {
  return host.startsWith('::ffff:') ? ipaddr.process(host).toString() : host
}

function isOpen(path: string): boolean {
  return OPEN_PATH.test(path) && !HIDDEN_STEP.test(path)
}

function reachOf(host: string): Reach {
  if (METADATA_HOSTS.includes(host)) return 'nowhere'
  if (host.includes(':') || /^[\d.]+$/.test(host)) return reachOfAddress(host)
  return PRIVATE_NAME.test(host) || !host.includes('.') ? 'inside' : 'public'
}

/** An IPv4-mapped address is never public: nobody needs to write one, and what it reaches depends on the machine. */
function reachOfAddress(host: string): Reach {
  const range = ipaddr.process(host).range()
  if (PRIVATE_RANGES.includes(range)) return 'inside'
  const address = ipaddr.parse(host)
  const mayBePublic = address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
  return range === 'unicast' && mayBePublic ? 'public' : 'nowhere'
}

const PATH = /^\/inboxes\/([^/]+)(\/.*)$/

/** Whether an inbox takes requests at a path. */
export function isInInbox(pathname: string): boolean {
  return PATH.test(pathname)
}

/** The id of the inbox that takes requests at a path, and the path below it; empty if there is none. */
export function splitInboxPath(pathname: string): { inboxId: string; path: string } {
  const [, inboxId = '', path = ''] = PATH.exec(pathname) ?? []
  return { inboxId, path }
}
