import { and, eq, type SQL, sql } from 'drizzle-orm'
import { insertHappening, insertLogRow, makeRow, removePrivateEvents } from '../changes/log.ts'
import type { RemovedPlanet } from '../changes/removals.ts'
import { news, write } from '../changes/write.ts'
import type { Database, Session } from '../db/client.ts'
import { build } from '../db/statements.ts'
import { rateLimits, users } from '../db/tables.ts'
import { normaliseEmail } from '../domain/email.ts'
import type { Happening, Origin, Registration } from '../events/happening.ts'
import { DAY_MS, nextSecondAfter } from '../lib/time.ts'
import { selectPlanetsOf } from './removed-accounts.ts'
import { makeRemovals } from './removed-planets.ts'

export type StoredUser = typeof users.$inferSelect

/** The query for the account with an e-mail address: a list with one item or none. */
export function selectUserByEmail(db: Database, email: string) {
  return db
    .select()
    .from(users)
    .where(eq(users.emailKey, normaliseEmail(email)))
    .limit(1)
}

/** The data for the log about a new account. */
export interface LoggedSignUp {
  origin: Origin
  registration: Registration
}

/**
 * Creates an account. If two concurrent requests use the same e-mail address, the unique index lets only one succeed.
 * One round trip.
 *
 * @returns The user, or undefined if the e-mail address is taken
 */
export async function insertUser(
  session: Session,
  account: { email: string; name: string | undefined; passwordHash: string },
  logged: LoggedSignUp,
  now: Date,
): Promise<StoredUser | undefined> {
  const emailKey = normaliseEmail(account.email)
  const passwordGeneration = makeFirstGeneration()
  const row = { ...account, name: account.name ?? null, emailKey, passwordGeneration, createdAt: now }
  const [[user]] = await write(session, [
    build.insert(users).values(row).onConflictDoNothing({ target: users.emailKey }).returning(),
    insertSignUpRow(and(eq(users.emailKey, emailKey), hasGeneration(passwordGeneration)), logged, now),
  ])
  return user
}

/**
 * The statement that writes a new account to the log, if the account was created.
 *
 * @param isCreated The condition that finds the new account. It compares the password generation, which is random, so
 * it never finds an older account
 */
function insertSignUpRow(isCreated: SQL | undefined, { origin, registration }: LoggedSignUp, now: Date) {
  // The id 0 is replaced: the database writes the real id, and the name if there is one.
  const happening = { kind: 'user_signed_up', body: { id: 0 }, details: { ...origin, registration } } as const
  const selectValue = (expression: SQL) => sql<number>`(select ${expression} from ${users} where ${isCreated})`
  return insertLogRow(
    {
      ...makeRow(happening, { now }),
      userId: selectValue(sql`${users.id}`),
      details: sql`json_set(${JSON.stringify(happening.details)}, '$.userId', ${selectValue(sql`${users.id}`)})`,
      body: sql<string>`(select json_object('id', ${users.id}, 'name', ${users.name}) from ${users} where ${isCreated})`,
    },
    sql`exists (select 1 from ${users} where ${isCreated})`,
  )
}

const hasGeneration = (passwordGeneration: number) => eq(users.passwordGeneration, passwordGeneration)

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
  const [deletion] = await db
    .select({ until: rateLimits.resetsAt })
    .from(rateLimits)
    .where(eq(rateLimits.key, `deleted/${issuer} ${subject}`))
  return deletion && new Date(deletion.until.getTime() - DELETION_KEPT_MS)
}

/**
 * The password generation of a new account: a random whole number below 2^40. If a database starts over, ids of users
 * repeat. A token, which names a user by id and password generation, still fits only the account that it was issued
 * for.
 */
function makeFirstGeneration(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  // 8 bits above 32 bits.
  return (high % 2 ** 8) * 2 ** 32 + low
}

/** Creates the user that an issuer identifies, unless another request has just done so. */
export async function insertForeignUser(
  session: Session,
  issuer: string,
  subject: string,
  logged: LoggedSignUp,
  now: Date,
): Promise<void> {
  const passwordGeneration = makeFirstGeneration()
  const isCreated = and(eq(users.issuer, issuer), eq(users.subject, subject), hasGeneration(passwordGeneration))
  await write(session, [
    build.insert(users).values({ issuer, subject, passwordGeneration, createdAt: now }).onConflictDoNothing(),
    insertSignUpRow(isCreated, logged, now),
  ])
}

/**
 * Changes the password of an account. A trigger ends all credentials that were created under the old password. If there
 * are two concurrent changes, only the first succeeds.
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

/**
 * Changes or removes the name of a user. The recorded time of the change (`renamedAt`) is the next whole second, so it
 * is later than every HTTP-date that was read before the change. If the previous change has this time or a later one,
 * the recorded time is 1 ms after the previous change. So two changes never have the same time. If the new name equals
 * the current one, nothing changes.
 *
 * @param name Null to remove the name; undefined to keep the name that the user has at the time of the write
 * @param expected The time of the previous change that the write must find: null for a name that never changed,
 * undefined for any time
 * @returns The user; `changed` if `expected` is given and nothing was written
 * @throws Error if nothing was written without `expected`: the account is gone or has a new password. In a request of
 * the user, the guard of the session rejects such a write earlier
 */
export async function renameUser(
  session: Session,
  user: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  name: string | null | undefined,
  expected: Date | null | undefined,
  origin: Origin,
  now: Date,
): Promise<StoredUser | 'changed'> {
  const nextSecond = nextSecondAfter(now).getTime()
  const newTime = sql`max(coalesce(${users.renamedAt}, 0) + 1, ${nextSecond})`
  const newName = name === undefined ? sql`${users.name}` : sql`${name}`
  const isExpected = and(
    hasSamePassword(user),
    expected === undefined ? undefined : sql`${users.renamedAt} is ${expected?.getTime() ?? null}`,
  )
  const [, [renamed]] = await write(session, [
    // This row precedes the change, because it records the previous name.
    insertRenameRow(user.id, newName, and(isExpected, sql`${users.name} is not ${newName}`), origin, now),
    build
      .update(users)
      .set({ name: newName, renamedAt: sql`iif(${users.name} is ${newName}, ${users.renamedAt}, ${newTime})` })
      .where(isExpected)
      .returning(),
  ])
  if (renamed) return renamed
  if (expected === undefined) throw new Error('found no account to rename: it is gone or has a new password')
  return 'changed'
}

/** The statement that writes to the log that a user gets another name, if the condition `isChanged` finds the user. */
function insertRenameRow(id: number, newName: SQL, isChanged: SQL | undefined, origin: Origin, now: Date) {
  const happening: Happening = { kind: 'profile_updated', body: { id }, details: { ...origin, changes: [] } }
  const change = sql`json_array(json_object('field', 'name', 'oldValue', ${users.name}, 'newValue', ${newName}))`
  const selectValue = (expression: SQL) => sql<string>`(select ${expression} from ${users} where ${users.id} = ${id})`
  return insertLogRow(
    {
      ...makeRow(happening, { userId: id, now }),
      body: selectValue(sql`json_object('id', ${users.id}, 'name', ${newName})`),
      details: selectValue(sql`json_set(${JSON.stringify(happening.details)}, '$.changes', ${change})`),
    },
    sql`exists (select 1 from ${users} where ${isChanged})`,
  )
}

/**
 * Deletes an account. After that, none of its credentials is valid, and its e-mail address is free. A trigger
 * (`users_deleted`) does all this in the same write. `removeAccount` then removes what the account owns. The private
 * events of the user are removed from the log. A new row of the log says that the account was deleted, without its
 * name.
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
    ...selectPlanetsOf(session.db, id),
  ])
  return makeRemovals(page, shownImages)
}

/** The condition for a user whose password has not changed since it was read. */
function hasSamePassword({ id, passwordGeneration }: Pick<StoredUser, 'id' | 'passwordGeneration'>) {
  return and(eq(users.id, id), eq(users.passwordGeneration, passwordGeneration))
}
