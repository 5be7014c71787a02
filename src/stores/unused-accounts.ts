import { and, eq, gt, isNull, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { apiKeys, clients, grants, rateLimits, signIns, users, webhooks } from '../db/tables.ts'
import { GALAXY_USER_ID } from '../domain/galaxy-user.ts'
import { KNOWN_MS, KNOWN_PREFIX } from '../domain/known-addresses.ts'
import { CLIENT_USE_MS } from './clients.ts'

/**
 * The condition for an account that was not used since a time, and has nothing that would be lost. No request records
 * the use of an account, because that would be a write for each. The following records, which requests write anyway,
 * are enough:
 *
 * - It was made and renamed by then, and no planet or other body is left of it.
 * - Nobody has proved its password since then. A token is valid for an hour at most, which is the shortest time possible.
 * - No API key of it was made or used since then, and no browser is signed in.
 * - No application has access to it, and none that it owns was made or used since then.
 * - No subscription was made or activated since then.
 *
 * A suspended account stays, because otherwise its suspension would end.
 *
 * @param until The time, at least an hour and at most KNOWN_DAYS ago
 */
export function isUnused(until: Date, now: Date): SQL | undefined {
  return and(
    ne(users.id, GALAXY_USER_ID),
    isNull(users.deletedAt),
    isNull(users.suspendedAt),
    lte(users.createdAt, until),
    or(isNull(users.renamedAt), lte(users.renamedAt, until)),
    eq(users.bodiesUsed, 0),
    hasNone(rateLimits, isPasswordProof(until)),
    hasNone(
      apiKeys,
      and(
        eq(apiKeys.userId, users.id),
        sql`max(${apiKeys.createdAt}, coalesce(${apiKeys.lastUsedAt}, 0)) > ${until.getTime()}`,
      ),
    ),
    hasNone(signIns, and(eq(signIns.userId, users.id), gt(signIns.expiresAt, now))),
    hasNone(grants, and(eq(grants.userId, users.id), isNull(grants.endedAt), gt(grants.expiresAt, now))),
    hasNone(
      clients,
      and(eq(clients.ownerId, users.id), gt(clients.lastUsedAt, new Date(until.getTime() - CLIENT_USE_MS))),
    ),
    hasNone(webhooks, and(eq(webhooks.userId, users.id), gt(webhooks.activeSince, until))),
  )
}

function hasNone(table: SQLiteTable, where: SQL | undefined): SQL {
  return sql`not exists (select 1 from ${table} where ${where})`
}

/** The records of sign-ins with the password of an account since a time. '0' is the character after '/'. */
function isPasswordProof(until: Date): SQL | undefined {
  const prefix = sql`${KNOWN_PREFIX} || ${users.emailKey}`
  return and(
    gt(rateLimits.key, sql`${prefix} || '/'`),
    sql`${rateLimits.key} < ${prefix} || '0'`,
    gt(rateLimits.resetsAt, new Date(until.getTime() + KNOWN_MS)),
  )
}
