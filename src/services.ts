import { waitUntil } from 'cloudflare:workers'
import { ForeignIssuers } from './auth/foreign-issuers.ts'
import { ProvedPasswords } from './auth/proved-passwords.ts'
import type { AuthServices } from './auth/scheme.ts'
import { TokenAuthority } from './auth/tokens.ts'
import { parseConfig } from './env.ts'

/** Everything outside of the code that the code works with. Passed in, so that a test can pass its own. */
export interface Services extends AuthServices {
  database: D1Database
  /** Where uploaded images are kept. */
  bucket: R2Bucket
  /** The files of the API reference. */
  assets: Fetcher
  /** Counts the writes of each user. */
  writes: RateLimit
}

/**
 * Makes the services out of the Worker's bindings.
 *
 * @throws Error naming what is wrong with the configuration
 */
export function createServices(env: Env): Services {
  const config = parseConfig(env)
  return {
    config,
    database: env.DB,
    bucket: env.IMAGES,
    assets: env.ASSETS,
    writes: env.WRITES,
    tokens: new TokenAuthority(config.signingKeys),
    provedPasswords: new ProvedPasswords(),
    foreignIssuers: new ForeignIssuers(config.foreignIssuers, (input, init) => fetch(input, init)),
    now: () => new Date(),
    wait: (milliseconds) => scheduler.wait(milliseconds),
    defer: (work) => waitUntil(work),
  }
}
