import ipaddr from 'ipaddr.js'
import { hostOf } from './hosts.ts'
import { type GuardConfig, guardRulesOf, isInInbox, ownTargetOf } from './url-guard.ts'

// Calls are limited for each machine, not for each of its names. A URL identifies a machine only by its host. Some
// parts of a host can be varied freely without reaching another machine, so they are ignored: subdomains, ports, and
// the last 64 bits of an IPv6 address.

/** The host name that stands for calls that do not leave the service. These calls are not limited. */
export const INSIDE_SERVICE = ''

/** A hextet has 16 bits, so these are the 64 bits of the network. */
const HEXTETS_OF_NETWORK = 4

/** The services that are needed to find the host of a call. */
export interface TargetServices {
  config: GuardConfig
  /**
   * The public suffix list. Private suffixes such as github.io count like top-level domains, because each name below
   * them has another owner.
   */
  suffixes: { domainOf(host: string): Promise<string | undefined> }
}

/**
 * The host whose limit a call counts towards: the registrable domain of a name (by the public suffix list), an IPv4
 * address, or the /64 network of an IPv6 address.
 *
 * @param url Absolute http or https URL
 * @param baseUrl The base URL of the service in the request that registered the URL
 * @returns `INSIDE_SERVICE` for the inboxes of this service, whatever world they are in
 */
export async function targetHostOf(url: string, baseUrl: string, services: TargetServices): Promise<string> {
  const { config, suffixes } = services
  const ownTarget = ownTargetOf(url, guardRulesOf(baseUrl, config))
  if (ownTarget && isInInbox(ownTarget.path)) return INSIDE_SERVICE
  const host = hostOf(new URL(url))
  return addressForLimits(host) ?? (await suffixes.domainOf(host)) ?? host
}

/** Undefined if `host` is a name and not an address. */
export function addressForLimits(host: string): string | undefined {
  if (host.includes(':')) return networkOf(host)
  return /^[\d.]+$/.test(host) ? host : undefined
}

/** A URL to call, with what is stored beside it. */
export interface CallTarget {
  url: string
  /** The base URL of the service in the request that registered the URL. Inboxes are recognised by it. */
  origin: string
  /** The host whose limit the calls count towards. */
  host: string
}

/** Describes a URL to call. @param baseUrl The base URL of the service in the request that registers the URL */
export async function callTargetOf(url: string, baseUrl: string, services: TargetServices): Promise<CallTarget> {
  return { url, origin: baseUrl, host: await targetHostOf(url, baseUrl, services) }
}

function networkOf(address: string): string {
  const hextets = ipaddr.IPv6.parse(address).parts.slice(0, HEXTETS_OF_NETWORK)
  return `${hextets.map((hextet) => hextet.toString(16)).join(':')}::/64`
}

/**
 * Normalises a URL, so that equivalent URLs are equal. The result is as the URL parser writes it, without the final dot
 * of an absolute name and without the fragment, which is not sent. Unreserved characters are not percent-encoded (RFC
 * 3986, section 6.2.2). An empty query is kept, because it is different from no query (section 6.2.3).
 */
export function canonicalUrl(text: string): string {
  const url = new URL(text)
  url.hash = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  return url.href.replaceAll(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return UNRESERVED.test(character) ? character : encoded.toUpperCase()
  })
}

/** An unreserved character (RFC 3986, section 2.3). */
const UNRESERVED = /[a-z0-9._~-]/i

/** A call that must wait, because its host has reached its limit of calls, or the limit cannot be checked now. */
export class MustWait extends Error {
  override readonly name = 'MustWait'
  readonly host: string
  /**
   * When the call may be tried again. Undefined if the limit is that of this world, which then queues the call at its
   * turn.
   */
  readonly until: Date | undefined

  constructor(host: string, until?: Date) {
    super(`the call to ${host} must wait, because its limit is reached or cannot be checked`)
    this.host = host
    this.until = until
  }
}
