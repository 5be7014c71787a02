import { and, eq, gt, isNull, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { apiKeys, clients, grants, observationBatches, rateLimits, signIns, users, webhooks } from '../db/tables.ts'
import { GALAXY_USER_ID } from '../domain/galaxy-user.ts'
import { KNOWN_MS, KNOWN_PREFIX } from '../domain/known-addresses.ts'
import { CLIENT_USE_PRECISION_MS } from './clients.ts'

/**
 * The condition for an account that was not used since a time, and whose deletion loses nothing. No request records
 * that an account was used, because then each request would write. Instead, the condition checks records that requests
 * write anyway:
 *
 * - The account was not created or renamed since the time, and owns no planet or other body.
 * - Nobody has proved its password since the time. (A token from POST /auth/token is valid for an hour without another
 *   proof. So the time must be at least an hour ago.)
 * - None of its API keys was created or used since the time, and no browser is signed in.
 * - No client has a valid grant of the account, and no client that the account owns was registered or used since the
 *   time.
 * - None of its subscriptions was created or activated, and none of its batches of observations accepted, since the
 *   time.
 *
 * A suspended account stays. Otherwise its user could sign up again and would no longer be suspended.
 *
 * @param since The time, at least an hour and at most KNOWN_DAYS ago
 */
export function isUnusedAccount(since: Date, now: Date): SQL | undefined {
  return and(
    ne(users.id, GALAXY_USER_ID),
    isNull(users.deletedAt),
    isNull(users.suspendedAt),
    lte(users.createdAt, since),
    or(isNull(users.renamedAt), lte(users.renamedAt, since)),
    eq(users.bodiesUsed, 0),
    hasNone(rateLimits, isPasswordProof(since)),
    hasNone(
      apiKeys,
      and(
        eq(apiKeys.userId, users.id),
        sql`max(${apiKeys.createdAt}, coalesce(${apiKeys.lastUsedAt}, 0)) > ${since.getTime()}`,
      ),
    ),
    hasNone(signIns, and(eq(signIns.userId, users.id), gt(signIns.expiresAt, now))),
    hasNone(grants, and(eq(grants.userId, users.id), isNull(grants.endedAt), gt(grants.expiresAt, now))),
    // The registration of a client counts as its first use. Later uses are recorded only once in
    // CLIENT_USE_PRECISION_MS.
    hasNone(
      clients,
      and(eq(clients.ownerId, users.id), gt(clients.lastUsedAt, new Date(since.getTime() - CLIENT_USE_PRECISION_MS))),
    ),
    hasNone(webhooks, and(eq(webhooks.userId, users.id), gt(webhooks.activeSince, since))),
    hasNone(observationBatches, and(eq(observationBatches.userId, users.id), gt(observationBatches.createdAt, since))),
  )
}

/** The condition that no row of a table matches a condition. */
function hasNone(table: SQLiteTable, where: SQL | undefined): SQL {
  return sql`not exists (select 1 from ${table} where ${where})`
}

/**
 * The condition for the records that the password of the account was proved since a time (domain/known-addresses.ts).
 * The keys of these records begin with KNOWN_PREFIX, the e-mail address and '/'. In the order of characters, '0'
 * follows '/'. So these keys, and no others, are between the two limits.
 */
function isPasswordProof(since: Date): SQL | undefined {
  const prefix = sql`${KNOWN_PREFIX} || ${users.emailKey}`
  return and(
    gt(rateLimits.key, sql`${prefix} || '/'`),
    sql`${rateLimits.key} < ${prefix} || '0'`,
    // A record ends KNOWN_MS after the proof.
    gt(rateLimits.resetsAt, new Date(since.getTime() + KNOWN_MS)),
  )
}
