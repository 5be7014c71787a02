import { waitUntil } from 'cloudflare:workers'
import { ForeignIssuers } from './auth/foreign-issuers.ts'
import { PasswordWork } from './auth/password-work.ts'
import { ProvedPasswords } from './auth/proved-passwords.ts'
import { ReceiverTokens } from './auth/receiver-tokens.ts'
import type { AuthServices } from './auth/scheme.ts'
import { TokenAuthority } from './auth/tokens.ts'
import { IdStocks } from './changes/ids.ts'
import { openD1, type SqliteDatabase } from './db/port.ts'
import { originOf } from './domain/service-origin.ts'
import type { Era, OtherWorlds, UniverseControl, UniverseMaker } from './domain/universe.ts'
import { parseConfig } from './env.ts'
import { openHub } from './events/hub-access.ts'
import type { HubAccess } from './events/subscription.ts'
import { boundBucket } from './lib/bounded-bucket.ts'
import { BriefMemory } from './lib/brief-memory.ts'
import { ByteBudget } from './lib/byte-budget.ts'
import { ForgetfulMap } from './lib/forgetful-map.ts'
import { rootCause } from './lib/root-cause.ts'
import { Turns } from './lib/turns.ts'
import { Vault } from './lib/vault.ts'
import { CatalogueMemory } from './stores/catalogue.ts'
import { SuffixList } from './stores/suffix-list.ts'

/** A part of the platform or of the configuration that the service needs for its work. */
export type Part = 'database' | 'images' | 'queue' | 'secrets'

/** How long the service remembers which of its parts do not work. */
const READINESS_KEPT_MS = 1000
/** The longest time that the check of all parts can take. features/health/failing-parts.ts gives up earlier. */
const READINESS_WORK_MAX_MS = 5000

/** Of how many limits a world remembers that it has sent their event. */
export const REPORTED_LIMITS_MAX = 10_000

/** Remembers which parts of a world do not work. */
export function createReadiness(): BriefMemory<Part[]> {
  return new BriefMemory(READINESS_KEPT_MS, READINESS_WORK_MAX_MS)
}

/**
 * Everything that a test may have to replace: bindings, configuration, keys, clock and network. Functions get it as a
 * parameter.
 */
export interface Services extends AuthServices {
  /** The shipped planets, kept in memory; undefined if requests can change these planets. */
  catalogue: CatalogueMemory | undefined
  /** Stores uploaded images. */
  bucket: R2Bucket
  /**
   * The files that the build writes: what pages load, the documents, the seed of universes and the public suffix list.
   */
  assets: Fetcher
  suffixes: SuffixList
  /** Limits the write rate of each user. Each world counts by itself. */
  writeLimiter: RateLimit
  /** The same limit, for what is counted in all worlds together. */
  sharedWriteLimiter: RateLimit
  searchLimiter: RateLimit
  /**
   * The database that counts the calls of all universes to each host, because a person can make many universes.
   * Undefined if the calls of this world are only counted in the database of this world.
   */
  sharedCallTargets: SqliteDatabase | undefined
  /** Encrypts secrets that the service has to store. */
  vault: Vault
  receiverTokens: ReceiverTokens
  /** Counts what all WebSockets of the echo are sent, by client address. */
  sentToSockets: ByteBudget
  /** The hub of this world, to which its sockets are connected. */
  hub: HubAccess
  /** Remembers which parts of this world did not work a moment ago. */
  readiness: BriefMemory<Part[]>
  /** Remembers the events `rate_limit.exceeded` that were sent recently: one key for each user and rate limit. */
  reportedLimits: ForgetfulMap<true>
  /** Writers that have lost a race wait here for their turn. */
  turns: Turns
  fetch: typeof fetch
  /**
   * The base URL of this world as the sender of a request sees it, without a slash at its end. In a universe it can
   * have a path.
   *
   * @param url The URL of the request
   * @returns Undefined if the host of the request cannot be part of a URL
   */
  baseUrlOf(url: URL): string | undefined
  /** The period that began with the last reset of this world; undefined if this world was never reset. */
  era: Era | undefined
  /** Makes universes; undefined if this world cannot make any. */
  universes: UniverseMaker | undefined
  /** The universe that this world is; undefined if it is the common world. */
  universe: UniverseControl | undefined
  /**
   * Is aborted when this world ends, so that open sockets and streams end too; undefined if this world never ends. The
   * reason of the signal is a sentence for clients.
   */
  ending: AbortSignal | undefined
  /** The id of the universe that this world is; undefined if it is the common world. */
  worldId: string | undefined
  /** The other worlds of this service; undefined if this is the only one. */
  otherWorlds: OtherWorlds | undefined
}

/**
 * Creates the services of the common world from the Worker's bindings, except `universes` and `otherWorlds`. These are
 * made from the other services, so the caller adds those that it needs.
 *
 * @throws Error that says what is wrong with the configuration
 */
export function createServices(env: Env, config = parseConfig(env)): Services {
  // A wrapper, because the runtime refuses `services.fetch(…)` if the method is the global `fetch` itself.
  const call: typeof fetch = (input, init) => fetch(input, init)
  const defer: Services['defer'] = (work) => waitUntil(work.catch(logFailure))
  const clock = { now: () => new Date(), wait: (milliseconds: number) => scheduler.wait(milliseconds) }
  const hub = openHub(env.EVENTS, { defer, logFailure, ...clock })
  return {
    config,
    database: openD1(env.DB),
    ids: new IdStocks({ takesInAdvance: true }),
    catalogue: new CatalogueMemory(),
    bucket: boundBucket(env.IMAGES, clock),
    assets: env.ASSETS,
    suffixes: new SuffixList(env.ASSETS),
    writeLimiter: env.WRITES,
    sharedWriteLimiter: env.WRITES,
    searchLimiter: env.SEARCHES,
    callbackQueue: env.CALLBACKS,
    sharedCallTargets: undefined,
    vault: new Vault(config.dataKeys),
    receiverTokens: new ReceiverTokens(),
    sentToSockets: new ByteBudget(),
    readiness: createReadiness(),
    reportedLimits: new ForgetfulMap(REPORTED_LIMITS_MAX),
    turns: new Turns(),
    hub,
    fetch: call,
    random: () => Math.random(),
    baseUrlOf: (url) => config.publicUrl ?? originOf(url),
    era: undefined,
    universes: undefined,
    universe: undefined,
    ending: undefined,
    worldId: undefined,
    otherWorlds: undefined,
    tokens: new TokenAuthority(config.signingKeys),
    provedPasswords: new ProvedPasswords(),
    passwordWork: new PasswordWork(),
    foreignIssuers: new ForeignIssuers(config.foreignIssuers, call),
    isOwnIssuer: (issuer, baseUrl) => issuer === baseUrl,
    ...clock,
    defer,
  }
}

/** Logs the failure of work that continued after the response. Nobody is left to send the error to. */
function logFailure(error: unknown): void {
  console.error(JSON.stringify({ event: 'deferred-work-failed', error: rootCause(error).message }))
}
