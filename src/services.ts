import { waitUntil } from 'cloudflare:workers'
import { ForeignIssuers } from './auth/foreign-issuers.ts'
import { PasswordWork } from './auth/password-work.ts'
import { ProvedPasswords } from './auth/proved-passwords.ts'
import { ReceiverTokens } from './auth/receiver-tokens.ts'
import type { AuthServices } from './auth/scheme.ts'
import { TokenAuthority } from './auth/tokens.ts'
import { parseConfig } from './env.ts'
import { MemoryBudget } from './lib/memory-budget.ts'
import { rootCause } from './lib/root-cause.ts'
import { Vault } from './lib/vault.ts'
import type { CallbackMessage } from './schemas/callback-message.ts'
import { CatalogueMemory } from './stores/catalogue.ts'

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
  /** The files that pages load in a browser. */
  assets: Fetcher
  /** Limits the write rate of each user. */
  writeLimiter: RateLimit
  /** Carries deliveries to the consumer. */
  callbackQueue: Queue<CallbackMessage>
  /** Encrypts secrets that the service has to store. */
  vault: Vault
  /** Tokens for receivers that require one. */
  receiverTokens: ReceiverTokens
  /** The memory that all WebSockets may use together. */
  socketMemory: MemoryBudget
  /** Calls another service. */
  fetch: typeof fetch
}

/**
 * Creates the services from the Worker's bindings.
 *
 * @throws Error that says what is wrong with the configuration
 */
export function createServices(env: Env): Services {
  const config = parseConfig(env)
  // A wrapper, because `fetch` itself must not be called as a method of another object.
  const call: typeof fetch = (input, init) => fetch(input, init)
  return {
    config,
    database: env.DB,
    catalogue: new CatalogueMemory(),
    bucket: env.IMAGES,
    assets: env.ASSETS,
    writeLimiter: env.WRITES,
    callbackQueue: env.CALLBACKS,
    vault: new Vault(config.dataKeys),
    receiverTokens: new ReceiverTokens(),
    socketMemory: new MemoryBudget(),
    fetch: call,
    tokens: new TokenAuthority(config.signingKeys),
    provedPasswords: new ProvedPasswords(),
    passwordWork: new PasswordWork(),
    foreignIssuers: new ForeignIssuers(config.foreignIssuers, call),
    now: () => new Date(),
    wait: (milliseconds) => scheduler.wait(milliseconds),
    defer: (work) => waitUntil(work.catch(logFailure)),
  }
}

/** Logs the failure of work that continued after the response. Nobody is left to send the error to. */
function logFailure(error: unknown): void {
  console.error(JSON.stringify({ event: 'deferred-work-failed', error: rootCause(error).message }))
}
