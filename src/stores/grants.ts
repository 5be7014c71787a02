import { and, eq, getTableColumns, gt, gte, isNotNull, isNull, lt, not, sql } from 'drizzle-orm'
import type { Requirement } from '../changes/change.ts'
import { checkRequirements, findUnmet } from '../changes/requirements.ts'
import { awaitUnlessReferenceGone } from '../db/constraints.ts'
import { build, type Database, news, type Query, type Session, together, write, writeParts } from '../db/port.ts'
import { clients, codes, consents, deviceCodes, grants, refreshTokens, usedAssertions, users } from '../db/tables.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { PageQuery } from '../schemas/page.ts'
import { noteClientUse } from './clients.ts'
import { type Giver, rememberConsent } from './consents.ts'
import type { ListPage } from './cut-page.ts'
import { type ListedPermission, listPermissions } from './permissions.ts'

type StoredGrant = typeof grants.$inferSelect
export type NewGrant = Omit<StoredGrant, 'endedAt' | 'createdAt' | 'depth'>
type StoredCode = typeof codes.$inferSelect
export type StoredDeviceCode = typeof deviceCodes.$inferSelect

/** A code, a device code or a refresh token, which can be used once, with its grant and the user who gave the grant. */
export interface RedeemableSecret<Secret> {
  secret: Secret
  grant: StoredGrant
  user: Giver & { suspendedAt: Date | null; name: string | null; email: string | null }
}

const USER_COLUMNS = {
  id: users.id,
  suspendedAt: users.suspendedAt,
  passwordGeneration: users.passwordGeneration,
  name: users.name,
  email: users.email,
}

const GRANT_AND_USER = {
  grant: together(getTableColumns(grants)).column().as('grant'),
  user: together(USER_COLUMNS).column().as('user'),
}

/**
 * How a new grant uses the remembered consent of its user for its client. `store`: the user was asked, and the answer
 * is stored as a consent. `require`: the user was not asked because of a stored consent, which must still exist.
 * Undefined: the grant neither stores nor requires a consent.
 */
export type ConsentUse = 'store' | 'require' | undefined

/**
 * That with which a client gets the tokens of a new grant: a new code, or a device code (its hash). `otherwise` is
 * thrown if the device code does not wait any more.
 */
type Redeemable = { code: Omit<StoredCode, 'usedAt' | 'grantId'> } | { deviceCode: string; otherwise: Error }

/**
 * One round trip.
 *
 * @param redeemable Undefined if the client gets the tokens at once
 * @returns The time when the grant ends, at the latest when the client expires. Undefined if the client or the user was
 * deleted meanwhile, or the user got a new password
 * @throws `otherwise` of the device code
 */
export async function insertGrant(
  session: Session,
  grant: NewGrant,
  redeemable: Redeemable | undefined,
  now: Date,
  consent?: ConsentUse,
): Promise<Date | undefined> {
  const expiresAt = limitToClientExpiry(grant.clientId, grant.expiresAt)
  const depth = sql<number>`coalesce((select ${clients.depth} from ${clients} where ${clients.id} = ${grant.clientId}), 0)`
  const insertion = build
    .insert(grants)
    .values({ ...grant, expiresAt, depth, createdAt: now })
    .returning({ endsAt: grants.expiresAt })
  // Within a day after the registration, `noteClientUse` would write nothing, and the client would still count as
  // unused (`makeRoomForClient`).
  const clientUpdate = build.update(clients).set({ lastUsedAt: now }).where(eq(clients.id, grant.clientId))
  const requires = requirementsOf(redeemable, now)
  try {
    const results = await awaitUnlessReferenceGone(
      writeParts(session, {
        requirements: requires.length > 0 ? [checkRequirements(requires)] : [],
        grant: [insertion, clientUpdate],
        redeemable: redeemable ? [makeRedeemable(redeemable, grant.id)] : [],
        consent: makeConsentStatements(grant, now, consent),
      }),
    )
    return results?.grant[0][0]?.endsAt
  } catch (error) {
    throw findUnmet(error, requires)?.otherwise ?? error
  }
}

/** What must hold when the grant is written: no other user has decided about the device code, and it has not expired. */
function requirementsOf(redeemable: Redeemable | undefined, now: Date): Requirement[] {
  if (!redeemable || 'code' in redeemable) return []
  const isThisCode = and(eq(deviceCodes.hash, redeemable.deviceCode), isWaiting(now))
  const holds = sql`exists (select 1 from ${deviceCodes} where ${isThisCode})`
  return [{ holds, otherwise: redeemable.otherwise }]
}

/** The condition for device codes about which a user can decide. */
export function isWaiting(now: Date) {
  return and(isNotNull(deviceCodes.userCode), gt(deviceCodes.expiresAt, now))
}

/** What a device code no longer has after the decision of a user. */
export const DECIDED = { userCode: null, network: null }

function makeRedeemable(redeemable: Redeemable, grantId: string): Query {
  if ('code' in redeemable) return build.insert(codes).values({ ...redeemable.code, grantId })
  return build
    .update(deviceCodes)
    .set({ ...DECIDED, grantId })
    .where(eq(deviceCodes.hash, redeemable.deviceCode))
}

/** The statements about the remembered consent that belong to the insertion of a grant. */
function makeConsentStatements(grant: NewGrant, now: Date, use: ConsentUse): Query[] {
  const { id, userId, clientId, passwordGeneration, scopes } = grant
  if (use === 'store') return [rememberConsent({ userId, clientId, passwordGeneration, scopes }, now)]
  if (use === undefined) return []
  // The user may have withdrawn the consent after it was read. The statement below then ends the new grant.
  const isRemembered = and(
    eq(consents.userId, userId),
    eq(consents.clientId, clientId),
    eq(consents.passwordGeneration, passwordGeneration),
  )
  return [
    news(
      build
        .update(grants)
        .set({ endedAt: now })
        .where(and(eq(grants.id, id), sql`not exists (select 1 from ${consents} where ${isRemembered})`)),
    ),
  ]
}

/** SQL for a date, or for the time when the client expires if this is earlier. In milliseconds since 1970. */
function limitToClientExpiry(clientId: string, date: Date) {
  const time = date.getTime()
  return sql`min(${time}, coalesce((select ${clients.expiresAt} from ${clients} where ${clients.id} = ${clientId}), ${time}))`
}

/** Registry: what can be used once, and the table of each. */
const REDEEMABLE = { code: codes, 'device code': deviceCodes, 'refresh token': refreshTokens } as const
export type RedeemableKind = keyof typeof REDEEMABLE

/** Finds what can be used once by its hash, with its grant and user, even if it was used or has expired. */
export async function findRedeemable<Kind extends RedeemableKind>(
  db: Database,
  kind: Kind,
  hash: string,
): Promise<RedeemableSecret<(typeof REDEEMABLE)[Kind]['$inferSelect']> | undefined> {
  const table: (typeof REDEEMABLE)[Kind] = REDEEMABLE[kind]
  const [redeemable] = await db.read(
    build
      .select({ secret: table, ...GRANT_AND_USER })
      .from(table)
      .innerJoin(grants, eq(grants.id, table.grantId))
      .innerJoin(users, eq(users.id, grants.userId))
      .where(eq(table.hash, hash)),
  )
  return redeemable
}

/** Finds a grant by its id, with the user who gave it. */
export async function findGrant(
  db: Database,
  id: string,
): Promise<Omit<RedeemableSecret<unknown>, 'secret'> | undefined> {
  const [grantWithUser] = await db.read(
    build.select(GRANT_AND_USER).from(grants).innerJoin(users, eq(users.id, grants.userId)).where(eq(grants.id, id)),
  )
  return grantWithUser
}

/** What follows a redeemed secret: the new end of the grant, and the next refresh token if there is one. */
export interface Successor {
  grantExpiresAt: Date
  refreshToken: { hash: string; expiresAt: Date } | undefined
}

/**
 * Redeems a code, a device code or a refresh token. Only the first redemption succeeds. Any other redemption, at the same time or
 * later, ends the grant. Also records the use of the client, once a day. One round trip.
 *
 * @returns The new end of the grant. `reused` if this was not the first use. `ended` if the grant was ended or deleted
 * after `grant` was read
 */
export async function redeem(
  session: Session,
  kind: RedeemableKind,
  { secret, grant }: RedeemableSecret<{ hash: string }>,
  { grantExpiresAt, refreshToken }: Successor,
  now: Date,
): Promise<{ grantEndsAt: Date } | 'reused' | 'ended'> {
  const table = REDEEMABLE[kind]
  const isUnused = and(eq(table.hash, secret.hash), isNull(table.usedAt))
  // Runs before the secret is marked as used. A later statement could not distinguish this use from an earlier one.
  const endIfUsedBefore = news(
    build
      .update(grants)
      .set({ endedAt: now })
      .where(
        and(
          eq(grants.id, grant.id),
          isNull(grants.endedAt),
          sql`not exists (select 1 from ${table} where ${isUnused})`,
        ),
      ),
  )
  const expiresAt = limitToClientExpiry(grant.clientId, grantExpiresAt)
  const extend = build
    .update(grants)
    .set({ expiresAt })
    .where(eq(grants.id, grant.id))
    .returning({ grantEndsAt: grants.expiresAt, endedAt: grants.endedAt })
  const markAsUsed = build.update(table).set({ usedAt: now }).where(isUnused).returning({ hash: table.hash })
  const tokenInsertions = refreshToken
    ? [build.insert(refreshTokens).values({ ...refreshToken, grantId: grant.id })]
    : []
  const batch = [endIfUsedBefore, markAsUsed, extend, noteClientUse(grant.clientId, now), ...tokenInsertions] as const
  const [, newlyUsed, [extended]] = await write(session, batch)
  if (!extended) return 'ended'
  if (newlyUsed.length === 0) return 'reused'
  return extended.endedAt ? 'ended' : { grantEndsAt: extended.grantEndsAt }
}

/** A grant as the user who gave it sees it. */
export type ListedGrant = ListedPermission<StoredGrant>

/** A page of the list of a user's grants that are still valid. @see listPermissions */
export async function listGrants(
  db: Database,
  giver: Giver,
  page: PageQuery,
  now: Date,
): Promise<ListPage<ListedGrant>> {
  return await listPermissions(db, grants, isValidFor(giver, now), grants.id, page)
}

/**
 * Ends a grant of a user, and removes the remembered consent for its client. With this consent, the client could get a
 * new grant without asking the user. One round trip.
 *
 * @returns Whether the grant was valid
 */
export async function endOwnGrant(session: Session, giver: Giver, id: string, now: Date): Promise<boolean> {
  const isThisGrant = and(eq(grants.id, id), isValidFor(giver, now))
  const isForItsClient = sql`${consents.clientId} = (select ${grants.clientId} from ${grants} where ${isThisGrant})`
  const forgetConsent = build.delete(consents).where(and(eq(consents.userId, giver.id), isForItsClient))
  const endValidGrant = news(build.update(grants).set({ endedAt: now }).where(isThisGrant).returning({ id: grants.id }))
  // The consent is removed first, because `isThisGrant` finds only a grant that is still valid.
  const [, ended] = await write(session, [forgetConsent, endValidGrant])
  return ended.length > 0
}

function isValidFor({ id, passwordGeneration }: Giver, now: Date) {
  return and(
    eq(grants.userId, id),
    eq(grants.passwordGeneration, passwordGeneration),
    isNull(grants.endedAt),
    gt(grants.expiresAt, now),
  )
}

/** Ends a grant, and with it all its codes and tokens. */
export async function endGrant(session: Session, id: string, now: Date): Promise<void> {
  await write(session, [
    news(
      build
        .update(grants)
        .set({ endedAt: now })
        .where(and(eq(grants.id, id), isNull(grants.endedAt))),
    ),
  ])
}

/**
 * Records the use of an assertion, which is a JWT with which a client authenticates.
 *
 * @returns Whether it was the first use
 */
export async function spendAssertion(session: Session, hash: string, expiresAt: Date): Promise<boolean> {
  const [newlyUsed] = await write(session, [
    build.insert(usedAssertions).values({ hash, expiresAt }).onConflictDoNothing().returning(),
  ])
  return newlyUsed.length > 0
}

/** For this time after its end, a client that polls learns that its device code has expired, also if it was allowed. */
const EXPIRED_DEVICE_CODE_KEPT_MS = 10 * MINUTE_MS

/**
 * Removes expired grants with their codes and tokens, expired refresh tokens, device codes that nobody has allowed, and
 * the records of expired assertions. An expired assertion is rejected even without its record. A grant for a device
 * that has not got its tokens is kept as long as its expired code.
 */
export async function removeEndedGrants(session: Session, now: Date): Promise<void> {
  const keptSince = new Date(now.getTime() - EXPIRED_DEVICE_CODE_KEPT_MS)
  const isOfCode = and(
    eq(deviceCodes.grantId, grants.id),
    isNull(deviceCodes.usedAt),
    gte(deviceCodes.expiresAt, keptSince),
  )
  const isAwaited = sql`exists (select 1 from ${deviceCodes} where ${isOfCode})`
  await write(session, [
    build.delete(grants).where(and(lt(grants.expiresAt, now), not(isAwaited))),
    build.delete(refreshTokens).where(lt(refreshTokens.expiresAt, now)),
    build.delete(deviceCodes).where(and(isNull(deviceCodes.grantId), lt(deviceCodes.expiresAt, keptSince))),
    build.delete(usedAssertions).where(lt(usedAssertions.expiresAt, now)),
  ])
}
