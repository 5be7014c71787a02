import { waitUntil } from 'cloudflare:workers'
import { ForeignIssuers } from './auth/foreign-issuers.ts'
import { PasswordWork } from './auth/password-work.ts'
import { ProvedPasswords } from './auth/proved-passwords.ts'
import { ReceiverTokens } from './auth/receiver-tokens.ts'
import type { AuthServices } from './auth/scheme.ts'
import { TokenAuthority } from './auth/tokens.ts'
import { watchLog } from './db/watched-database.ts'
import { originOf } from './domain/service-origin.ts'
import type { Era, OtherWorlds, UniverseControl, UniverseMaker } from './domain/universe.ts'
import { parseConfig } from './env.ts'
import { openHub } from './events/hub-access.ts'
import type { HubAccess } from './events/subscription.ts'
import { BriefMemory } from './lib/brief-memory.ts'
import { MemoryBudget } from './lib/memory-budget.ts'
import { RecentKeys } from './lib/recent-keys.ts'
import { rootCause } from './lib/root-cause.ts'
import { Vault } from './lib/vault.ts'
import type { CallbackMessage } from './schemas/callback-message.ts'
import { CatalogueMemory } from './stores/catalogue.ts'
import { SuffixList } from './stores/suffix-list.ts'

/** A part that the service needs for its work. */
export type Part = 'database' | 'images' | 'queue' | 'secrets'

/** How long the service remembers which of its parts work. */
const READINESS_KEPT_MS = 1000
/** Longer than the parts are tried (features/health/failing-parts.ts). */
const READINESS_WORK_MAX_MS = 5000

/** Remembers which parts of a world do not work. */
export function createReadiness(): BriefMemory<Part[]> {
  return new BriefMemory(READINESS_KEPT_MS, READINESS_WORK_MAX_MS)
}

/**
 * Everything that a test may have to replace: bindings, configuration, keys, clock and network. Functions get it as a
 * parameter.
 */
export interface Services extends AuthServices {
  database: D1Database
  /** The shipped planets in memory; undefined if requests can change them. */
  catalogue: CatalogueMemory | undefined
  /** Stores uploaded images. */
  bucket: R2Bucket
  /** The files that the build writes: what pages load, the documents, the seed of universes and the public suffix list. */
  assets: Fetcher
  /** The public suffix list. */
  suffixes: SuffixList
  /** Limits the write rate of each user. */
  writeLimiter: RateLimit
  /** Carries deliveries to the consumer. */
  callbackQueue: Queue<CallbackMessage>
  /**
   * The database that counts the calls of all universes to each host, because a person can make many universes. Undefined
   * if the calls of this world are only counted in its own.
   */
  sharedCallTargets: D1Database | undefined
  /** Encrypts secrets that the service has to store. */
  vault: Vault
  /** Tokens for receivers that require one. */
  receiverTokens: ReceiverTokens
  /** The memory that all WebSockets may use together. */
  socketMemory: MemoryBudget
  /** The hub of this world, to which its sockets are connected. */
  hub: HubAccess
  /** Which parts of this world did not work a moment ago. */
  readiness: BriefMemory<Part[]>
  /** The rate limits whose users recently got the event that they have reached them. */
  reportedLimits: RecentKeys
  /** Calls another service. */
  fetch: typeof fetch
  /**
   * The base URL of the service as a request sees it, without a slash at its end. In a universe it has a path.
   *
   * @returns Undefined if the host of the request cannot be part of a URL
   */
  baseUrlOf(url: URL): string | undefined
  /** The time since the last reset of this world; undefined if it was never reset. */
  era: Era | undefined
  /** Makes universes; undefined if this world cannot. */
  universes: UniverseMaker | undefined
  /** The universe that this world is; undefined if it is the common world. */
  universe: UniverseControl | undefined
  /**
   * Is aborted when this world ends, for everything that stays open; undefined if it never ends. Its reason is a sentence
   * for clients.
   */
  ending: AbortSignal | undefined
  /** Whether this world holds the connections of its clients, so that it can cut one off. */
  holdsConnections: boolean
  /** The id of the universe that this world is; undefined if it is the common world. */
  worldId: string | undefined
  /** The other worlds of this service; undefined if this is the only one. */
  otherWorlds: OtherWorlds | undefined
}

/**
 * Creates the services of the common world from the Worker's bindings.
 *
 * @throws Error that says what is wrong with the configuration
 */
export function createServices(env: Env, config = parseConfig(env)): Services {
  // A wrapper, because `fetch` itself must not be called as a method of another object.
  const call: typeof fetch = (input, init) => fetch(input, init)
  const defer: Services['defer'] = (work) => waitUntil(work.catch(logFailure))
  const clock = { now: () => new Date(), wait: (milliseconds: number) => scheduler.wait(milliseconds) }
  const hub = openHub(env.EVENTS, { defer, logFailure, ...clock })
  return {
    config,
    database: watchLog(env.DB, () => hub.notify()),
    catalogue: new CatalogueMemory(),
    bucket: env.IMAGES,
    assets: env.ASSETS,
    suffixes: new SuffixList(env.ASSETS),
    writeLimiter: env.WRITES,
    callbackQueue: env.CALLBACKS,
    sharedCallTargets: undefined,
    vault: new Vault(config.dataKeys),
    receiverTokens: new ReceiverTokens(),
    socketMemory: new MemoryBudget(),
    readiness: createReadiness(),
    reportedLimits: new RecentKeys(),
    hub,
    fetch: call,
    baseUrlOf: (url) => config.publicUrl ?? originOf(url),
    era: undefined,
    universes: undefined,
    universe: undefined,
    ending: undefined,
    holdsConnections: true,
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
