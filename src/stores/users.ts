import { and, eq, or, sql } from 'drizzle-orm'
import { insertHappening, removePrivateEvents } from '../changes/log.ts'
import type { RemovedPlanet } from '../changes/removals.ts'
import { LostRace } from '../changes/requirements.ts'
import { build, type Database, news, type Session, write } from '../db/port.ts'
import { rateLimits, users } from '../db/tables.ts'
import { normaliseEmail } from '../domain/email.ts'
import type { Origin } from '../events/happening.ts'
import { DAY_MS, nextSecondAfter } from '../lib/time.ts'
import { selectPlanetsOf } from './removed-accounts.ts'
import { makeRemovals } from './removed-planets.ts'

export type StoredUser = typeof users.$inferSelect

/** The query for the account with an e-mail address: a list with one item or none. */
export function selectUserByEmail(email: string) {
  return build
    .select()
    .from(users)
    .where(eq(users.emailKey, normaliseEmail(email)))
    .limit(1)
}

/** Who gets an account: a person with a password, or a user that an issuer in OIDC_ISSUERS identifies. */
export type Owner = Pick<NewUser, 'email' | 'name' | 'passwordHash'> | Pick<NewUser, 'issuer' | 'subject'>

export type NewUser = Omit<StoredUser, 'deletedAt' | `${string}Used`>

export function makeUser(id: number, owner: Owner, now: Date): NewUser {
  const nobody = { email: null, name: null, passwordHash: null, issuer: null, subject: null }
  const { email, ...columns } = { ...nobody, ...owner }
  const emailKey = email === null ? null : normaliseEmail(email)
  const passwordGeneration = makeFirstGeneration()
  const state = { passwordGeneration, createdAt: now, renamedAt: null, suspendedAt: null }
  return { id, email, emailKey, ...columns, ...state }
}

/** The change that stores a new account. @param otherwise What `commit` throws if its owner has one already */
export function insertUser(user: NewUser, otherwise: Error) {
  const isSameForeign = and(eq(users.issuer, sql`${user.issuer}`), eq(users.subject, sql`${user.subject}`))
  const isOwned = or(eq(users.emailKey, sql`${user.emailKey}`), isSameForeign)
  const owned = build.select({ id: users.id }).from(users).where(isOwned)
  return {
    requires: [{ holds: sql`not exists ${owned}`, otherwise }],
    statements: [build.insert(users).values(user)],
  }
}

/** Replaces the hash of a password with one that has the current cost, unless the password has changed meanwhile. */
export async function replaceHash(
  session: Session,
  user: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  passwordHash: string,
): Promise<void> {
  await write(session, [build.update(users).set({ passwordHash }).where(hasSamePassword(user))])
}

/** How long the trigger `users_deleted` remembers a deletion, as a row of `rate_limits` that ends after this time. */
const DELETION_KEPT_MS = DAY_MS

/**
 * When the account of a user was deleted, if an issuer in OIDC_ISSUERS identified the user and the deletion was within
 * the last day. Otherwise undefined.
 */
export async function findForeignDeletion(db: Database, issuer: string, subject: string): Promise<Date | undefined> {
  const [deletion] = await db.read(
    build
      .select({ until: rateLimits.resetsAt })
      .from(rateLimits)
      .where(eq(rateLimits.key, `deleted/${issuer} ${subject}`)),
  )
  return deletion && new Date(deletion.until.getTime() - DELETION_KEPT_MS)
}

/** A random whole number below 2^40 (src/auth/README.md). */
function makeFirstGeneration(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  // 8 bits above 32 bits.
  return (high % 2 ** 8) * 2 ** 32 + low
}

/**
 * A trigger ends all credentials that were created under the old password. If there are two concurrent changes, only
 * the first succeeds.
 *
 * @returns Whether the password had not changed meanwhile
 */
export async function changePassword(
  session: Session,
  user: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  passwordHash: string,
): Promise<boolean> {
  const [changed] = await write(session, [
    news(
      build
        .update(users)
        .set({ passwordHash, passwordGeneration: user.passwordGeneration + 1 })
        .where(hasSamePassword(user))
        .returning({ id: users.id }),
    ),
  ])
  return changed.length > 0
}

export type RenamableUser = Pick<StoredUser, 'id' | 'name' | 'createdAt' | 'renamedAt'>

/**
 * A user with another name. The time of the change (`renamedAt`) is the next whole second, so it is later than every
 * HTTP-date that was read before the change. If the previous change has this time or a later one, it is 1 ms after the
 * previous change. So two changes never have the same time.
 *
 * @param name Null to remove the name
 */
export function withName<User extends RenamableUser>(user: User, name: string | null, now: Date): User {
  const sincePrevious = (user.renamedAt?.getTime() ?? 0) + 1
  return { ...user, name, renamedAt: new Date(Math.max(sincePrevious, nextSecondAfter(now).getTime())) }
}

/**
 * The change that stores the new name of a user, only if the name is still the one that was read. Otherwise `commit`
 * throws LostRace.
 */
export function renameUser(read: RenamableUser, { name, renamedAt }: RenamableUser) {
  const isUser = eq(users.id, read.id)
  const isSame = and(isUser, sql`${users.renamedAt} is ${read.renamedAt?.getTime() ?? null}`)
  const same = build.select({ id: users.id }).from(users).where(isSame)
  return {
    requires: [{ holds: sql`exists ${same}`, otherwise: new LostRace() }],
    statements: [build.update(users).set({ name, renamedAt }).where(isUser)],
  }
}

/**
 * Deletes an account, with the trigger `users_deleted` (src/auth/README.md). The private events of the user are removed
 * from the log. A new row of the log says that the account was deleted, without its name.
 *
 * @returns Its first planets, for `removeAccount`
 */
export async function endAccount(
  session: Session,
  id: number,
  origin: Origin,
  now: Date,
): Promise<readonly RemovedPlanet[]> {
  const [, , , page, shownImages] = await write(session, [
    // This row precedes the deletion, whose trigger writes a row that ends all credentials. If that row came first, it
    // would close the sockets of the user before they get this event.
    insertHappening({ kind: 'user_deleted', body: { id }, details: origin }, { userId: id, now }),
    news(build.update(users).set({ deletedAt: now }).where(eq(users.id, id))),
    removePrivateEvents(id),
    ...selectPlanetsOf(id),
  ])
  return makeRemovals(page, shownImages)
}

/** The condition for a user whose password has not changed since it was read. */
function hasSamePassword({ id, passwordGeneration }: Pick<StoredUser, 'id' | 'passwordGeneration'>) {
  return and(eq(users.id, id), eq(users.passwordGeneration, passwordGeneration))
}
