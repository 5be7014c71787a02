import { GALAXY_USER_ID } from './galaxy-user.ts'

// Universes: worlds of their own with the same API, see docs/universes.md.

/** The kinds of worlds: the common one, which everybody shares, and the universes. */
export type World = 'common' | 'universe'

/** What a universe contains when it is made: the shipped planets (`catalogue`), or no planets (`blank`). */
export const SEEDS = ['catalogue', 'blank'] as const
export type Seed = (typeof SEEDS)[number]

/** A universe ends after this many hours without a request, unless its maker or owner chooses otherwise. */
export const IDLE_HOURS_DEFAULT = 24
export const AGE_MAX_HOURS = 7 * 24
/** More would have no effect, because the age ends the universe. */
export const IDLE_HOURS_MAX = AGE_MAX_HOURS

/** How many WebSockets and streams a universe can have open. */
export const SOCKETS_MAX = 2000

/** How long a universe that has ended is remembered (410), in days. After that, its address is an unknown path. */
export const TOMBSTONE_DAYS = 30

/** For how many seconds the tokens of a universe are valid: `TOKEN_SECONDS_MAX`, unless its owner chooses less. */
export const TOKEN_SECONDS_MIN = 5
export const TOKEN_SECONDS_MAX = 3600

/** The id of the account that owns a universe. The shipped planets belong to this account. */
export const OWNER_ID = GALAXY_USER_ID

/** The figures that are counted and limited in a universe. */
export const UNIVERSE_LIMIT_NAMES = [
  'planets',
  'users',
  'images',
  'imageBytes',
  'deliveries',
  'inboxes',
  'labRuns',
] as const
export type UniverseLimitName = (typeof UNIVERSE_LIMIT_NAMES)[number]
export type UniverseFigures = Record<UniverseLimitName, number>

/** How many planets a universe can have in addition to those that it was made with. */
export const OWN_PLANETS_MAX = 20_000

/** The other limits of a universe. Images are counted as long as a planet shows them. */
export const UNIVERSE_LIMITS = {
  users: 1000,
  images: 500,
  imageBytes: 100_000_000,
  deliveries: 10_000,
  inboxes: 50,
  labRuns: 50,
} as const satisfies Omit<UniverseFigures, 'planets'>

/** How many inboxes can be made in a universe in an hour, from all addresses together. */
export const INBOXES_PER_HOUR = 1000

/** The description of a universe, without its address. */
export interface UniverseState {
  id: string
  seed: Seed
  createdAt: Date
  expiresAt: Date
  /** Whether its owner has fixed `expiresAt`, so that requests do not move it. */
  isFixed: boolean
  /** For how long tokens that are issued now are valid. */
  tokenSeconds: number
}

/** What the owner of a universe can change about it. */
export interface UniverseChanges {
  /** Fixes the time at which the universe ends. Requests no longer move it. */
  expiresAt?: Date | undefined
  tokenSeconds?: number | undefined
}

/** A universe that was just made. The password of the owner is not stored, so nobody can see it later. */
export interface NewUniverse extends UniverseState {
  owner: { id: number; name: string; email: string; password: string }
  /** A token of its owner. */
  token: string
}

/** Makes universes. Only the common world can do that. */
export interface UniverseMaker {
  /**
   * Creates a universe, completely or not at all.
   *
   * @param hours After how many hours without a request the universe ends
   * @param baseUrl The address of the universe by path. It is the issuer of the token
   */
  make(id: string, seed: Seed, hours: number, baseUrl: string): Promise<NewUniverse>
}

/** What SQLite stores in a column. */
type StoredValue = string | number | null | ArrayBuffer

/** What features of universes alone keep in a universe, beside its tables. */
export interface UniverseStore {
  /**
   * Runs a statement in the database of the universe, at once. A reset empties the tables that were made here.
   *
   * @throws ProblemError if the universe has ended or was reset since the request began
   */
  run<Row extends Record<string, StoredValue>>(statement: string, ...values: StoredValue[]): Row[]
  /** The key of what a feature remembers about the universe. A reset replaces it. */
  readonly memory: object
}

/** The universe in which a request runs. */
export interface UniverseControl {
  /** The universe when the request began. It is in memory, so it can also be read after a reset or after the end. */
  readonly state: UniverseState
  readonly store: UniverseStore
  /** The universe at this moment, with its limits and how much it contains. */
  describe(): UniverseState & { limits: UniverseFigures; usage: UniverseFigures }
  /** For how long tokens that are issued at this moment are valid, in seconds. */
  readonly tokenSeconds: number
  change(changes: UniverseChanges): UniverseState
  /**
   * Prepares a reset to the contents that the universe was made with. The account of its owner stays.
   *
   * @returns A function that resets the universe, completely or not at all, within one turn of the event loop
   */
  prepareReset(): Promise<() => void>
  /** The end takes effect at once, before the promise settles. */
  end(): Promise<void>
}

/** The worlds of this service other than the one that a request runs in. */
export interface OtherWorlds {
  /**
   * Passes a call to an inbox on to its world, without the network.
   *
   * @param universeId The universe of the inbox; undefined if it is in the common world
   * @param request The call with its full URL, by which the world of the inbox finds the inbox
   * @returns Undefined if there is no such universe
   */
  callInbox(universeId: string | undefined, request: Request): Promise<Response | undefined>
}

/** The period that began with the last reset of a universe. Absent before the first reset, and in the common world. */
export interface Era {
  /** Is different after each reset. */
  tag: string
  startedAt: Date
}
