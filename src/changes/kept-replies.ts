import { and, eq, lte, min, sql } from 'drizzle-orm'
import { build, type Database, type Session, write } from '../db/port.ts'
import { keptReplies } from '../db/tables.ts'
import type { Authority } from '../domain/authority.ts'
import { KEPT_REPLIES_BYTES_MAX, KEPT_REPLIES_HOURS, KEPT_REPLIES_MAX } from '../domain/limits.ts'
import { HOUR_MS } from '../lib/time.ts'

// Replies that are kept for retries. When a request with an `Idempotency-Key` begins, it claims the row of this key, so
// that no second request with the key works at the same time. The batch that creates something also completes the row.
// So there is never a creation without its reply, or a reply without its creation.

const KEPT_MS = KEPT_REPLIES_HOURS * HOUR_MS

/** A request that has not ended after this time was interrupted, for example by a crash. A retry may take over. */
export const CLAIM_MS = 60_000

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  userId: number
  key: string
  /** A hash of the parts of the request that are the same in a retry. */
  fingerprint: string
  /** The authority of its credential. */
  maker: Authority
}

export interface Claim extends KeyedRequest {
  /** Identifies this attempt. */
  token: string
}

type StoredReply = typeof keptReplies.$inferSelect

export interface KeptReply {
  /** Encrypted. */
  reply: string
  maker: Authority
}

export type ClaimOutcome =
  /** `in-progress`: a request with this key has not ended. `other-request`: the key belongs to a different request. */
  | { is: 'claimed' | 'in-progress' | 'other-request' }
  | { is: 'kept'; reply: KeptReply }
  /** The kept replies of the user have reached their maximum number or size. The oldest expires at this time. */
  | { is: 'full'; until: Date }

/**
 * Claims a key, if it is free: new, expired, or left by a request that was interrupted. One round trip, or two if the
 * user has no room for another key.
 */
export async function claimKey(session: Session, claim: Claim, now: Date): Promise<ClaimOutcome> {
  const { userId, key, fingerprint, token, maker } = claim
  const time = now.getTime()
  const { createdAt } = keptReplies
  const isFree = sql`${createdAt} <= ${time - KEPT_MS} or (${keptReplies.claim} is not null and ${createdAt} <= ${time - CLAIM_MS})`
  const hasRoom = sql`
    select count(*) < ${KEPT_REPLIES_MAX} and coalesce(sum(octet_length(${keptReplies.reply})), 0) < ${KEPT_REPLIES_BYTES_MAX}
    from ${keptReplies} where ${eq(keptReplies.userId, userId)}`
  const isKnown = sql`exists (select 1 from ${keptReplies} where ${isRowOf(claim)})`
  const [, [row]] = await write(session, [
    build
      .insert(keptReplies)
      .select(sql`
        select ${userId}, ${key}, ${fingerprint}, ${token}, ${time}, null as reply, ${JSON.stringify(maker)}
        where ${isKnown} or (${hasRoom})`)
      .onConflictDoUpdate({
        target: [keptReplies.userId, keptReplies.key],
        set: { fingerprint, claim: token, createdAt: now, reply: null, maker },
        setWhere: isFree,
      }),
    build.select().from(keptReplies).where(isRowOf(claim)),
  ])
  return row ? judgeClaim(row, claim) : { is: 'full', until: await findNextExpiry(session.db, userId, now) }
}

/** When the oldest row of a user expires, which makes room for another row. */
async function findNextExpiry(db: Database, userId: number, now: Date): Promise<Date> {
  const [oldest] = await db.read(
    build
      .select({ createdAt: min(keptReplies.createdAt) })
      .from(keptReplies)
      .where(eq(keptReplies.userId, userId)),
  )
  return new Date((oldest?.createdAt ?? now).getTime() + KEPT_MS)
}

function judgeClaim(row: StoredReply, { token, fingerprint }: Claim): ClaimOutcome {
  if (row.claim === token) return { is: 'claimed' }
  if (row.fingerprint !== fingerprint) return { is: 'other-request' }
  const { reply, maker } = row
  if (reply === null) return { is: 'in-progress' }
  return { is: 'kept', reply: { reply, maker } }
}

/**
 * If another request has taken the claim over, the batch fails (`claimLost` in db/constraints.ts). If that request has
 * already released its claim, the row is gone, and this statement inserts it again.
 *
 * @param reply The reply, encrypted
 */
export function completeClaim(claim: Claim, reply: string, now: Date) {
  const { userId, key, fingerprint, token, maker } = claim
  return build
    .insert(keptReplies)
    .values({ userId, key, fingerprint, claim: null, createdAt: now, reply, maker })
    .onConflictDoUpdate({
      target: [keptReplies.userId, keptReplies.key],
      set: {
        // If the row still has this claim, the claim ends. Otherwise the row keeps the claim of the other request, or
        // gets the claim 'completed' if that request has already ended its claim. A row with both a claim and a reply
        // violates the check `kept_replies_claimed`, so the batch fails.
        claim: sql`iif(${keptReplies.claim} = ${token}, null, coalesce(${keptReplies.claim}, 'completed'))`,
        reply: sql`excluded.reply`,
        maker: sql`excluded.maker`,
      },
    })
}

/** Ends the claim of a request that has created nothing, so that a retry runs again. */
export async function releaseClaim(session: Session, claim: Claim): Promise<void> {
  await write(session, [build.delete(keptReplies).where(and(isRowOf(claim), eq(keptReplies.claim, claim.token)))])
}

export async function removeEndedReplies(session: Session, now: Date): Promise<void> {
  await write(session, [build.delete(keptReplies).where(lte(keptReplies.createdAt, new Date(now.getTime() - KEPT_MS)))])
}

function isRowOf({ userId, key }: KeyedRequest) {
  return and(eq(keptReplies.userId, userId), eq(keptReplies.key, key))
}
