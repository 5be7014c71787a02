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
