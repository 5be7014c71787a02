import { TokenAuthority } from './auth/tokens.ts'
import { type Config, parseConfig } from './env.ts'

/** Everything outside of the code that the code works with. Passed in, so that a test can pass its own. */
export interface Services {
  config: Config
  database: D1Database
  /** Where uploaded images are kept. */
  bucket: R2Bucket
  tokens: TokenAuthority
  /** The files of the API reference. */
  assets: Fetcher
  now(): Date
  /** Lets time pass. */
  wait(milliseconds: number): Promise<void>
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
    tokens: new TokenAuthority(config.signingKeys),
    now: () => new Date(),
    wait: (milliseconds) => scheduler.wait(milliseconds),
  }
}
