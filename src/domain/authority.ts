import type { KeyScope } from './scopes.ts'

/** What a credential gives: what it may do, and until when. Times are in milliseconds since 1970; null means no end. */
export interface Authority {
  /** Its scopes that give access. The others, such as `profile`, give none. */
  scopes: KeyScope[]
  /** When the credential stops working by itself. */
  endsAt: number | null
  /** When the keys and clients that it creates end by themselves. An access token may end much earlier than these. */
  creationsEndAt: number | null
  /** Whether it may create keys and clients at all: it is not the last in a chain of credentials. */
  mayCreateCredentials: boolean
}

/** Whether an authority is at least as great as another one, in each part. */
export function covers(authority: Authority, other: Authority): boolean {
  return (
    other.scopes.every((scope) => authority.scopes.includes(scope)) &&
    lastsAsLong(authority.endsAt, other.endsAt) &&
    lastsAsLong(authority.creationsEndAt, other.creationsEndAt) &&
    (authority.mayCreateCredentials || !other.mayCreateCredentials)
  )
}

function lastsAsLong(end: number | null, otherEnd: number | null): boolean {
  return end === null || (otherEnd !== null && end >= otherEnd)
}
