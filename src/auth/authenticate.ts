import type { BatchQuery } from '../db/client.ts'
import { ProblemError } from '../lib/errors.ts'
import { InvalidCredential } from './invalid-credential.ts'
import type { Caller, Claim, VerifierTools } from './scheme.ts'
import { SCHEMES, type SchemeName } from './schemes.ts'

export interface Authenticated<Read extends BatchQuery> {
  caller: Caller
  /** What the endpoint's own read gave; undefined where it has none. */
  loaded: Read['_']['result'] | undefined
}

/**
 * Finds out who is calling: any one of the accepted schemes suffices. The caller's standing is read from the database
 * every time, so that a suspension or a new password takes effect at once. One round trip.
 *
 * @throws ProblemError 401 where no credential is sent or none is valid, 403 where the account is suspended
 */
export async function authenticate<Read extends BatchQuery>(
  headers: Headers,
  accepted: readonly SchemeName[],
  tools: VerifierTools,
  read?: Read,
): Promise<Authenticated<Read>> {
  const claim = await findClaim(headers, accepted, tools)
  const [[caller], loaded] = read ? await tools.db.batch([claim.standing, read]) : [await claim.standing, undefined]
  if (!caller) throw unauthorized(accepted, 'The account of this credential does not exist or has a new password')
  requireActive(caller)
  return { caller: { id: caller.id, name: caller.name, createdAt: caller.createdAt }, loaded }
}

/**
 * Lets no suspended account in.
 *
 * @param headers Of the answer, where it is refused
 * @throws ProblemError 403
 */
export function requireActive(account: { suspendedAt: Date | null }, headers: Record<string, string> = {}): void {
  if (account.suspendedAt) throw new ProblemError('account-suspended', 'This account is suspended.', { headers })
}

/** Tells whether a request carries a credential of any accepted scheme, valid or not. */
export function hasCredential(headers: Headers, accepted: readonly SchemeName[]): boolean {
  return accepted.some((name) => SCHEMES[name].locate(headers) !== undefined)
}

async function findClaim(headers: Headers, accepted: readonly SchemeName[], tools: VerifierTools): Promise<Claim> {
  let fault: string | undefined
  for (const name of accepted) {
    const credential = SCHEMES[name].locate(headers)
    if (credential === undefined) continue
    try {
      return await SCHEMES[name].verify(credential, tools)
    } catch (error) {
      if (!(error instanceof InvalidCredential)) throw error
      fault = error.message
    }
  }
  throw unauthorized(accepted, fault)
}

function unauthorized(accepted: readonly SchemeName[], fault?: string): ProblemError {
  const detail = fault
    ? `${fault}.`
    : `This needs a credential: ${accepted.map((name) => SCHEMES[name].usage).join(', or ')}.`
  const challenges = accepted.map((name) => SCHEMES[name].challenge(fault))
  return new ProblemError('unauthorized', detail, { headers: { 'WWW-Authenticate': challenges.join(', ') } })
}
