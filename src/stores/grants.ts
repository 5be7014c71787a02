import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import type { BatchQuery, Database } from '../db/client.ts'
import { unlessGone } from '../db/foreign-keys.ts'
import { clients, codes, consents, grants, refreshTokens, usedAssertions, users } from '../db/tables.ts'
import { noteUse } from './clients.ts'
import { type Giver, rememberConsent } from './consents.ts'
import { type Given, listGiven } from './given.ts'

type StoredGrant = typeof grants.$inferSelect
/** What a grant is made of. */
export type NewGrant = Omit<StoredGrant, 'endedAt' | 'createdAt' | 'depth'>
type StoredCode = typeof codes.$inferSelect
type StoredRefreshToken = typeof refreshTokens.$inferSelect

/** A secret that is good for one use, what it was given under, and by whom. */
export interface Redeemable<Secret> {
  secret: Secret
  grant: StoredGrant
  user: Giver & { suspendedAt: Date | null; name: string | null; email: string | null }
}

const USER = {
  id: users.id,
  suspendedAt: users.suspendedAt,
  passwordGeneration: users.passwordGeneration,
  name: users.name,
  email: users.email,
}

/**
 * What a grant has to do with the consent that is remembered for its user and client: the user was asked and it is to be
 * remembered (`remember`), the user was not asked because it is (`remembered`), or nothing.
 */
export type ConsentUse = 'remember' | 'remembered' | undefined

/**
 * Stores a grant, and the code that it is redeemed by, if there is one. One round trip.
 *
 * @returns When it ends: no later than the client does. Undefined if the client or the user was deleted meanwhile
 */
export async function insertGrant(
  db: Database,
  grant: NewGrant,
  code: Omit<StoredCode, 'usedAt' | 'grantId'> | undefined,
  now: Date,
  consent?: ConsentUse,
): Promise<Date | undefined> {
  const expiresAt = notAfterClient(grant.clientId, grant.expiresAt)
  const depth = sql<number>`coalesce((select ${clients.depth} from ${clients} where ${clients.id} = ${grant.clientId}), 0)`
  const stored = db.insert(grants).values({ ...grant, expiresAt, depth, createdAt: now })
  const insertion = stored.returning({ endsAt: grants.expiresAt })
  const use = db.update(clients).set({ lastUsedAt: now }).where(eq(clients.id, grant.clientId))
  const redeemable = code ? [db.insert(codes).values({ ...code, grantId: grant.id })] : []
  const done = await unlessGone(
    db.batch([insertion, use, ...redeemable, ...consentStatements(db, grant, now, consent)]),
  )
  return done?.[0][0]?.endsAt
}

function consentStatements(db: Database, grant: NewGrant, now: Date, use: ConsentUse): BatchQuery[] {
  const { id, userId, clientId, passwordGeneration, scopes } = grant
  if (use === 'remember') return [rememberConsent(db, { userId, clientId, passwordGeneration, scopes }, now)]
  if (use === undefined) return []
  // The user may have taken it back since it was read.
  const isRemembered = and(
    eq(consents.userId, userId),
    eq(consents.clientId, clientId),
    eq(consents.passwordGeneration, passwordGeneration),
  )
  return [
    db
      .update(grants)
      .set({ endedAt: now })
      .where(and(eq(grants.id, id), sql`not exists (select 1 from ${consents} where ${isRemembered})`)),
  ]
}

/** A grant ends with its client, if that expires. */
function notAfterClient(clientId: string, date: Date) {
  const time = date.getTime()
  return sql`min(${time}, coalesce((select ${clients.expiresAt} from ${clients} where ${clients.id} = ${clientId}), ${time}))`
}

export function findCode(db: Database, hash: string): Promise<Redeemable<StoredCode> | undefined> {
  return findRedeemable(db, codes, hash)
}

export function findRefreshToken(db: Database, hash: string): Promise<Redeemable<StoredRefreshToken> | undefined> {
  return findRedeemable(db, refreshTokens, hash)
}

async function findRedeemable<Table extends typeof codes | typeof refreshTokens>(
  db: Database,
  table: Table,
  hash: string,
): Promise<Redeemable<Table['$inferSelect']> | undefined> {
  const [found] = await db
    .select({ secret: table, grant: grants, user: USER })
    .from(table)
    .innerJoin(grants, eq(grants.id, table.grantId))
    .innerJoin(users, eq(users.id, grants.userId))
    .where(eq(table.hash, hash))
  return found
}

/** A grant, by its id, and who gave it. */
export async function findGrant(db: Database, id: string): Promise<Omit<Redeemable<unknown>, 'secret'> | undefined> {
  const [found] = await db
    .select({ grant: grants, user: USER })
    .from(grants)
    .innerJoin(users, eq(users.id, grants.userId))
    .where(eq(grants.id, id))
  return found
}

/** What is given for a secret: how long the grant now holds, and the refresh token that comes next, if there is one. */
export interface Successor {
  grantExpiresAt: Date
  refreshToken: { hash: string; expiresAt: Date } | undefined
}

/**
 * Uses a code or a refresh token up. Of several at the same moment one wins, and the others end the grant: so does a
 * later one. A use of the client too, once a day. One round trip.
 *
 * @returns Whether this was the first use, and when the grant now ends; undefined if it was deleted meanwhile
 */
export async function redeem(
  db: Database,
  kind: 'code' | 'refresh token',
  { secret, grant }: Redeemable<{ hash: string }>,
  { grantExpiresAt, refreshToken }: Successor,
  now: Date,
): Promise<{ isFirst: boolean; grantEndsAt: Date } | undefined> {
  const table = kind === 'code' ? codes : refreshTokens
  const isUnused = and(eq(table.hash, secret.hash), isNull(table.usedAt))
  // Before the secret is used: a later statement could not tell our own use from another's.
  const closing = db
    .update(grants)
    .set({ endedAt: now })
    .where(
      and(eq(grants.id, grant.id), isNull(grants.endedAt), sql`not exists (select 1 from ${table} where ${isUnused})`),
    )
  const expiresAt = notAfterClient(grant.clientId, grantExpiresAt)
  const isMeant = eq(grants.id, grant.id)
  const extension = db.update(grants).set({ expiresAt }).where(isMeant).returning({ grantEndsAt: grants.expiresAt })
  const use = db.update(table).set({ usedAt: now }).where(isUnused).returning({ hash: table.hash })
  const successor = refreshToken ? [db.insert(refreshTokens).values({ ...refreshToken, grantId: grant.id })] : []
  const batch = [closing, use, extension, noteUse(db, grant.clientId, now), ...successor] as const
  const [, used, [extended]] = await db.batch(batch)
  return extended && { ...extended, isFirst: used.length > 0 }
}

/** A grant as the user sees who gave it. */
export type GivenGrant = Given<StoredGrant>

/** A page of what a user has allowed, and still holds. @see listGiven */
export async function listGrants(
  db: Database,
  giver: Giver,
  page: { limit: number; offset: number },
  now: Date,
): Promise<{ rows: GivenGrant[]; total: number }> {
  return await listGiven(db, grants, holdsFor(giver, now), grants.id, page)
}

/**
 * Ends a grant of a user, and forgets that the user has allowed it: the client could have another at once otherwise. One
 * round trip.
 *
 * @returns Whether it held
 */
export async function endOwnGrant(db: Database, giver: Giver, id: string, now: Date): Promise<boolean> {
  const isMeant = and(eq(grants.id, id), holdsFor(giver, now))
  const ofItsClient = sql`${consents.clientId} = (select ${grants.clientId} from ${grants} where ${isMeant})`
  const forgetting = db.delete(consents).where(and(eq(consents.userId, giver.id), ofItsClient))
  const ending = db.update(grants).set({ endedAt: now }).where(isMeant).returning({ id: grants.id })
  const [, ended] = await db.batch([forgetting, ending])
  return ended.length > 0
}

function holdsFor({ id, passwordGeneration }: Giver, now: Date) {
  return and(
    eq(grants.userId, id),
    eq(grants.passwordGeneration, passwordGeneration),
    isNull(grants.endedAt),
    gt(grants.expiresAt, now),
  )
}

/** Ends a grant, with every code and token under it. */
export async function endGrant(db: Database, id: string, now: Date): Promise<void> {
  await db
    .update(grants)
    .set({ endedAt: now })
    .where(and(eq(grants.id, id), isNull(grants.endedAt)))
}

/**
 * Notes that a client has used an assertion.
 *
 * @returns Whether it was the first time
 */
export async function useAssertion(db: Database, hash: string, expiresAt: Date): Promise<boolean> {
  const noted = await db.insert(usedAssertions).values({ hash, expiresAt }).onConflictDoNothing().returning()
  return noted.length > 0
}

/** Forgets grants of which nothing lives any more, with their codes and tokens, and assertions that would be refused. */
export async function removeEndedGrants(db: Database, now: Date): Promise<void> {
  await db.batch([
    db.delete(grants).where(lt(grants.expiresAt, now)),
    db.delete(refreshTokens).where(lt(refreshTokens.expiresAt, now)),
    db.delete(usedAssertions).where(lt(usedAssertions.expiresAt, now)),
  ])
}
