import { hostOf } from '../../src/domain/hosts.ts'
import { PublicSuffixes } from '../../src/domain/public-suffixes.ts'
import { addressForLimits } from '../../src/domain/target-host.ts'
import { readPublicSuffixes } from './suffix-list.ts'

/**
 * The host as deliveries have it: a name counts as its registrable domain.
 *
 * @throws Error if it is no host
 */
export function hostForLimits(text: string): string {
  const url = `https://${text}/`
  if (!URL.canParse(url) || new URL(url).pathname !== '/' || /[/?#@]/.test(text)) {
    throw new Error('--host must be a host such as hooks.example.com')
  }
  const host = hostOf(new URL(url))
  return addressForLimits(host) ?? new PublicSuffixes(readPublicSuffixes()).domainOf(host) ?? host
}
