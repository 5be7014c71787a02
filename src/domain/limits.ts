import type { UniverseLimitName } from './universe.ts'

/** The limits of an account, by their names in problem documents. */
export const ACCOUNT_LIMIT_NAMES = [
  'celestialBodies',
  'celestialBodyBytes',
  'images',
  'imageBytes',
  'deliveries',
] as const

export type AccountLimitName = (typeof ACCOUNT_LIMIT_NAMES)[number]

/** A limit that an account would exceed, with how much the account uses and how much it may use. */
export interface ReachedLimit {
  name: AccountLimitName
  used: number
  allowed: number
}

/** A limit of a universe that a request would exceed, with how much the universe uses and how much it may use. */
export interface ReachedUniverseLimit {
  limit: UniverseLimitName
  used: number
  allowed: number
}

/**
 * Maximum size of a document in bytes, in JSON and in XML. The documents in responses do not exceed it either, so that
 * a client can send them back.
 */
export const ENTITY_MAX_BYTES = 256 * 1024

/**
 * Upper bound on how many times larger a document can be in one format (JSON or XML) than in the other. XML can be much
 * larger, because an escaped character of a name appears in both tags of its element.
 */
export const GROWTH_MAX = 16

/**
 * Bytes of ENTITY_MAX_BYTES that are reserved for content that can change without a write to the document: the names of
 * its creator and of its planet (200 characters of up to 5 bytes each, such as `&amp;`), an uploaded image, and the
 * properties that a planet has only as a celestial body.
 */
export const HEADROOM_BYTES = 3 * 1024

// The part of the log of events that readers can read. The oldest rows are dropped first.

/** For how many hours readers can read an event. */
export const LOG_HOURS = 24
/** The maximum number of rows that readers can read. */
export const LOG_ROWS_MAX = 10_000
/** The maximum size of the rows that readers can read, in bytes. */
export const LOG_BYTES_MAX = 64 * 1024 * 1024

// The replies that are kept for retries with an Idempotency-Key.

export const KEPT_REPLIES_HOURS = 24
/** How many replies are kept for one user. */
export const KEPT_REPLIES_MAX = 1000
/** If the kept replies of a user have this size in bytes, no further replies are kept. */
export const KEPT_REPLIES_BYTES_MAX = 16 * 1024 * 1024
/** The maximum length of an Idempotency-Key in characters. */
export const IDEMPOTENCY_KEY_MAX = 255

/** The length of a password in characters (code points). */
export const PASSWORD_MIN = 6
export const PASSWORD_MAX = 256

/** Maximum number of members of an object, or of items of an array, in what a caller sends. */
export const MEMBERS_MAX = 1000
