import { and, eq, gt, isNull, or, type SQLWrapper, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Database } from '../db/client.ts'
import { apiKeys, grants, users } from '../db/tables.ts'
import { normaliseEmail } from '../lib/email.ts'
import type { Scope } from '../schemas/scopes.ts'

// What only the database knows of a credential: whether it still holds, and whose it is. Every secured request asks one
// of these queries, each a search by one index.

/** A user's standing, as a credential of whatever kind finds it. */
export interface Standing {
  id: number
  name: string | null
  email: string | null
  createdAt: Date
  suspendedAt: Date | null
  passwordGeneration: number
  /** Where the credential is a password. */
  passwordHash?: string | null
  /** Where the credential is an API key. */
  key?: { id: number; scopes: Scope[]; expiresAt: Date | null; lastUsedAt: Date | null }
}

/** A list of one, or of none. To be awaited, or put into a batch to share a round trip. */
export type StandingQuery = RunnableQuery<Standing[], 'sqlite'> & PromiseLike<Standing[]>

const COLUMNS = {
  id: users.id,
  name: users.name,
  email: users.email,
  createdAt: users.createdAt,
  suspendedAt: users.suspendedAt,
  passwordGeneration: users.passwordGeneration,
}

// In a batch D1 gives rows as objects, where of two columns of one name only one is left: so none may have another's.
const KEY_COLUMNS = {
  id: sql<number>`${apiKeys.id}`.as('key_id'),
  scopes: apiKeys.scopes,
  expiresAt: apiKeys.expiresAt,
  lastUsedAt: apiKeys.lastUsedAt,
}

/** Of a user, where the password is still the one of then. */
export function standingOfUser(db: Database, id: number, passwordGeneration: number): StandingQuery {
  return db
    .select(COLUMNS)
    .from(users)
    .where(and(eq(users.id, id), eq(users.passwordGeneration, passwordGeneration)))
    .limit(1)
}

/** Of the account of an e-mail. */
export function standingOfEmail(db: Database, email: string): StandingQuery {
  return db
    .select({ ...COLUMNS, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.emailKey, normaliseEmail(email)))
    .limit(1)
}

/** Of the owner of an API key that has neither expired nor ended with its owner's password. */
export function standingOfKey(db: Database, hash: string, now: Date): StandingQuery {
  return db
    .select({ ...COLUMNS, key: KEY_COLUMNS })
    .from(apiKeys)
    .innerJoin(users, isOwner(apiKeys))
    .where(and(eq(apiKeys.hash, hash), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))))
    .limit(1)
}

/** Of the user who gave a grant that still holds. */
export function standingOfGrant(db: Database, grantId: string): StandingQuery {
  return db
    .select(COLUMNS)
    .from(grants)
    .innerJoin(users, isOwner(grants))
    .where(and(eq(grants.id, grantId), isNull(grants.endedAt)))
    .limit(1)
}

/** Of the user whom an issuer of OIDC_ISSUERS vouches for. */
export function standingOfSubject(db: Database, issuer: string, subject: string): StandingQuery {
  return db
    .select(COLUMNS)
    .from(users)
    .where(and(eq(users.issuer, issuer), eq(users.subject, subject)))
    .limit(1)
}

/** Joins what was made under a password to its user, as long as the password is still the one of then. */
export function isOwner({ userId, passwordGeneration }: Record<'userId' | 'passwordGeneration', SQLWrapper>) {
  return and(eq(users.id, userId), eq(users.passwordGeneration, passwordGeneration))
}
