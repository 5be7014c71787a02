/** What is limited of an account, by the names that callers are told. */
export const ACCOUNT_LIMIT_NAMES = [
  'celestialBodies',
  'celestialBodyBytes',
  'images',
  'imageBytes',
  'deliveries',
] as const

export type AccountLimitName = (typeof ACCOUNT_LIMIT_NAMES)[number]

/** A limit that an account would exceed: what it uses, and what it may use. */
export interface ReachedLimit {
  name: AccountLimitName
  used: number
  allowed: number
}

/** Bytes of a body that is a document, in any format, and so of whatever can be sent back as it was read. */
export const ENTITY_MAX_BYTES = 256 * 1024

/** Times that a document is larger in one format than in another, at most: a character of a name, written twice. */
export const GROWTH_MAX = 16

/**
 * Bytes of a document, in any format, that are left for what can still change in it without a write to it: the name of its
 * creator and of the planet that it belongs to (200 characters of 5 bytes each), an upload as its image, and what a planet
 * has as a celestial body only.
 */
export const HEADROOM_BYTES = 3 * 1024
