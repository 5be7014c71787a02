import { hostOf } from '../../src/domain/hosts.ts'
import { PublicSuffixes } from '../../src/domain/public-suffixes.ts'
import { addressForLimits } from '../../src/domain/target-host.ts'
import { readPublicSuffixes } from './suffix-list.ts'

/** Characters that end the host in a URL, or the user information before the host. */
const DELIMITERS = /[/\\?#@]/

/**
 * The host to which the limits of deliveries apply, as `targetHostOf` finds it: a name counts as its registrable
 * domain.
 *
 * @throws Error if the text is not a host
 */
export function hostForLimits(text: string): string {
  // An IPv6 address has colons within brackets. Any other colon begins a port.
  const hasPort = text.replace(/^\[[^\]]*\]/, '').includes(':')
  const url = hasPort || DELIMITERS.test(text) ? null : URL.parse(`https://${text}/`)
  if (!url) throw new Error('--host must be a host without a scheme, a port or a path, such as hooks.example.com')
  const host = hostOf(url)
  return addressForLimits(host) ?? new PublicSuffixes(readPublicSuffixes()).domainOf(host) ?? host
}
