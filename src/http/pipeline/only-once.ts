import { authorityOf } from '../../auth/authority.ts'
import { rateLimitHeaders } from '../../auth/limits.ts'
import { PURPOSES } from '../../auth/purposes.ts'
import { type Claim, claimKey, type KeptReply, releaseClaim } from '../../changes/kept-replies.ts'
import { violates } from '../../db/constraints.ts'
import { openSession, type SqliteDatabase } from '../../db/port.ts'
import { covers } from '../../domain/authority.ts'
import { KEPT_REPLIES_BYTES_MAX, KEPT_REPLIES_HOURS, KEPT_REPLIES_MAX } from '../../domain/limits.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { Reply } from '../../domain/reply.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { CannotOpen, type Vault } from '../../lib/vault.ts'
import type { ReadBody } from '../body/reader.ts'
import { contextOf, type HonoContext } from './context.ts'
import { fingerprintOf, IDEMPOTENCY_KEY, readIdempotencyKey } from './idempotency-key.ts'

// Retries of requests that create or change something. The first request with an Idempotency-Key stores its reply in the
// same batch that does this. Later requests with this key get the stored reply, if their credential has at least the
// authority of the first one.

/** A response that is kept for retries. It is stored encrypted. */
interface KeptResponse {
  status: number
  headers: [string, string][]
  body: string
}

/**
 * A request without a key or without a user does its work each time.
 *
 * @param content What a retry sends again
 * @throws ProblemError 400, 409, 422, 429; any error of the work
 */
export async function onlyOnce(
  c: HonoContext,
  content: ReadBody<unknown>['content'],
  send: (reply: Reply) => Response,
  work: () => Promise<Response>,
): Promise<Response> {
  const caller = c.get('caller')
  if (!caller) return await work()
  const key = readIdempotencyKey(c.req.raw.headers)
  if (key === undefined) return await work()
  const fingerprint = await fingerprintOf(c, content)
  const claim = { userId: caller.id, key, fingerprint, token: crypto.randomUUID(), maker: authorityOf(caller) }
  const { services, session, now } = contextOf(c)
  const outcome = await claimKey(session, claim, now)
  if (outcome.is === 'kept') return await replay(outcome.reply, claim, services.vault)
  if (outcome.is === 'full') throw tooManyKeys(outcome.until, now)
  if (outcome.is === 'other-request') throw keyReused()
  if (outcome.is === 'in-progress') throw inProgress()
  return await workUnderClaim(claim, c, send, work)
}

/**
 * Does the work while this request has the claim to the key. If the work fails, the claim is released. If the work
 * takes longer than CLAIM_MS, a retry may take over the claim. Then the batch of this request fails (`claimLost`).
 */
async function workUnderClaim(
  claim: Claim,
  c: HonoContext,
  send: (reply: Reply) => Response,
  work: () => Promise<Response>,
): Promise<Response> {
  const { services } = contextOf(c)
  c.set('replyKeeper', { claim, seal: (reply) => seal(send(reply), claim, services.vault) })
  try {
    return await work()
  } catch (error) {
    await release(claim, services.database)
    throw violates(error, 'claimLost') ? inProgress() : error
  }
}

/**
 * Releases a claim in a new session, because the request's own session rejects every write if the credential has ended.
 * If this fails too, the claim expires by itself.
 */
async function release(claim: Claim, database: SqliteDatabase): Promise<void> {
  try {
    await releaseClaim(openSession({ database, hub: undefined }, 'first-primary'), claim)
  } catch (error) {
    console.warn(JSON.stringify({ event: 'claim-not-released', error: rootCause(error).message }))
  }
}

/** Writes a response as text, and encrypts it. */
async function seal(response: Response, { userId, key }: Claim, vault: Vault): Promise<string> {
  const { status, headers } = response
  const kept: KeptResponse = { status, headers: [...headers], body: await response.text() }
  return await vault.seal(JSON.stringify(kept), PURPOSES.keptReply(userId, key))
}

/**
 * Sends a kept reply. It can contain what the caller's credential could not have created, such as a key with more
 * scopes. So the credential must have at least the authority of the one that made it.
 *
 * @throws ProblemError 422
 */
async function replay({ reply, maker }: KeptReply, claim: Claim, vault: Vault): Promise<Response> {
  if (!covers(claim.maker, maker)) throw madeByAnother()
  const { status, headers, body }: KeptResponse = JSON.parse(await open(reply, claim, vault))
  return new Response(body, { status, headers: [...headers, ['Idempotency-Replayed', 'true']] })
}

/** Decrypts a kept reply. @throws ProblemError 422 if its key was removed from DATA_KEY */
async function open(reply: string, { userId, key }: Claim, vault: Vault): Promise<string> {
  try {
    return await vault.open(reply, PURPOSES.keptReply(userId, key))
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error
    console.warn(JSON.stringify({ event: 'secret-lost', kind: 'keptReply', userId, error: error.message }))
    throw unusableKey(
      'This request was carried out before, but the service can no longer read its response. Look for what it created before you send a new request.',
    )
  }
}

function inProgress(): ProblemError {
  return new ProblemError(
    'request-in-progress',
    `A request with this ${IDEMPOTENCY_KEY} is still in progress. Send this request again in a moment.`,
  )
}

function keyReused(): ProblemError {
  return unusableKey(
    `Another request was sent with this ${IDEMPOTENCY_KEY}. A retry must be the same request. Send a new key with a new request.`,
  )
}

function madeByAnother(): ProblemError {
  return unusableKey(
    'This request was carried out before, with a credential that can do more or lasts longer than that of this request. Repeat it with a credential of the same kind, or send a new key with a new request.',
  )
}

function unusableKey(detail: string): ProblemError {
  return new ProblemError('idempotency-key-reused', detail)
}

/** The error if too many replies of the user are kept. @param until When there is room for a reply again */
function tooManyKeys(until: Date, now: Date): ProblemError {
  const windowSeconds = KEPT_REPLIES_HOURS * 60 * 60
  const resetSeconds = Math.max(Math.ceil((until.getTime() - now.getTime()) / 1000), 1)
  const limit = { name: 'idempotency-keys', limit: KEPT_REPLIES_MAX, windowSeconds }
  return new ProblemError(
    'too-many-requests',
    `The service cannot keep another reply for you. It keeps at most ${KEPT_REPLIES_MAX} of your replies, with at most ${KEPT_REPLIES_BYTES_MAX / 2 ** 20} MiB in total, for ${KEPT_REPLIES_HOURS} hours each. Send this request without ${IDEMPOTENCY_KEY}, or send it later.`,
    {
      rateLimit: { key: 'idempotency-keys', limit: KEPT_REPLIES_MAX, windowSeconds },
      headers: {
        ...rateLimitHeaders({ ...limit, remaining: 0, resetSeconds }),
        'Retry-After': String(resetSeconds),
      },
    },
  )
}
