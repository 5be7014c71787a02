import { and, eq, sql } from 'drizzle-orm'
import { awaitUnlessReferenceGone } from '../../db/constraints.ts'
import { build, type Session, write, writeParts } from '../../db/port.ts'
import { deviceCodes } from '../../db/tables.ts'
import { DEVICE_CODES, makeRoom } from '../../stores/anonymous-rows.ts'
import { DECIDED, isWaiting, type StoredDeviceCode } from '../../stores/grants.ts'
import {
  countAttempt,
  judgeAttempt,
  type RateLimit,
  type RateLimitState,
  uncountAttempt,
} from '../../stores/rate-limits.ts'

/** How many seconds a client must wait between two polls, at first and at most (RFC 8628, section 3.5). */
export const POLL_INTERVAL_SECONDS = 5
const POLL_INTERVAL_MAX_SECONDS = 60
/** How much longer a client must wait after each poll that was too early. */
const SLOWER_BY_SECONDS = 5
/** A poll may be this much too early, because the network does not take equally long each time. */
const TOLERANCE_SECONDS = 1

/** A device code about which a user can decide. */
export type WaitingDeviceCode = StoredDeviceCode & { userCode: string }

/**
 * Other waiting codes may be removed to make room, see stores/anonymous-rows.ts. One round trip.
 *
 * @returns Whether it was stored. `taken` if another device has the same user code. Undefined if the client was deleted
 * meanwhile
 */
export async function insertDeviceCode(
  session: Session,
  code: Pick<WaitingDeviceCode, 'hash' | 'clientId' | 'scopes' | 'userCode' | 'expiresAt'> & { network: string },
  now: Date,
): Promise<'stored' | 'taken' | undefined> {
  const insertion = build
    .insert(deviceCodes)
    .values({ ...code, interval: POLL_INTERVAL_SECONDS })
    .onConflictDoNothing({ target: deviceCodes.userCode })
    .returning({ hash: deviceCodes.hash })
  const room = makeRoom(DEVICE_CODES, { id: code.hash, network: code.network, createdAt: now })
  const results = await awaitUnlessReferenceGone(writeParts(session, { insertion: [insertion], room }))
  return results && (results.insertion[0].length > 0 ? 'stored' : 'taken')
}

/**
 * Finds a waiting code by its user code. If there is none, this counts towards each of the limits. A right code does not
 * count, but is not found out beyond a limit either. One round trip.
 */
export async function findByUserCode(
  session: Session,
  userCode: string,
  limits: readonly RateLimit[],
  now: Date,
): Promise<{ code: WaitingDeviceCode | undefined; attempts: RateLimitState[] }> {
  const isThisCode = and(eq(deviceCodes.userCode, userCode), isWaiting(now))
  const isRight = sql`exists (select 1 from ${deviceCodes} where ${isThisCode})`
  const { found, counted } = await writeParts(session, {
    found: [build.select().from(deviceCodes).where(isThisCode)],
    counted: limits.map((limit) => countAttempt(limit, now)),
    forgiven: limits.map(({ key }) => uncountAttempt(key, isRight)),
  })
  const [code] = found[0]
  return {
    code: code && { ...code, userCode },
    attempts: limits.map((limit, index) => judgeAttempt(limit, counted[index]?.[0], now)),
  }
}

/** Decides about a code: its client gets nothing. One round trip. @returns Whether nobody has decided before */
export async function denyDeviceCode(session: Session, hash: string, now: Date): Promise<boolean> {
  const [denied] = await write(session, [
    build
      .update(deviceCodes)
      .set(DECIDED)
      .where(and(eq(deviceCodes.hash, hash), isWaiting(now)))
      .returning({ hash: deviceCodes.hash }),
  ])
  return denied.length > 0
}

/** SQL: whether a poll now comes too early after the last one. */
function isTooEarly(now: Date) {
  const earliest = sql`${deviceCodes.polledAt} + (${deviceCodes.interval} - ${TOLERANCE_SECONDS}) * 1000`
  return sql<number>`coalesce(${now.getTime()} < ${earliest}, 0)`
}

/**
 * Finds the code with which a client polls, as it was before. If it waits, the time of the poll is stored, and a poll
 * that is too early makes the interval longer. One round trip.
 */
export async function pollDeviceCode(
  session: Session,
  hash: string,
  clientId: string,
  now: Date,
): Promise<{ code: StoredDeviceCode; isTooEarly: boolean } | undefined> {
  const isThisCode = and(eq(deviceCodes.hash, hash), eq(deviceCodes.clientId, clientId))
  const longer = sql`min(${deviceCodes.interval} + ${SLOWER_BY_SECONDS}, ${POLL_INTERVAL_MAX_SECONDS})`
  const [[polled]] = await write(session, [
    build
      .select({ code: deviceCodes, isTooEarly: isTooEarly(now).as('is_too_early') })
      .from(deviceCodes)
      .where(isThisCode),
    build
      .update(deviceCodes)
      .set({ polledAt: now, interval: sql`iif(${isTooEarly(now)}, ${longer}, ${deviceCodes.interval})` })
      .where(and(isThisCode, isWaiting(now))),
  ])
  return polled && { code: polled.code, isTooEarly: polled.isTooEarly === 1 }
}
