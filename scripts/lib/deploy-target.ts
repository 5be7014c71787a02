import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { ROOT } from './root.ts'

/** An environment of wrangler.toml, as far as a deployment has to know it. */
export interface Target {
  environment: string
  worker: string
  /** The account, if the configuration has it. */
  account: string | undefined
  database: { name: string; binding: string }
  bucket: string
  /** All queues, those for dead letters included. */
  queues: string[]
  /** Names of the secrets without which the Worker does not start. */
  secrets: string[]
  /** The origin of the service, if the configuration has it. */
  publicUrl: string | undefined
}

interface Environment {
  name: string
  account_id?: string
  vars: Record<string, string>
  secrets: { required: string[] }
  d1_databases: [{ binding: string; database_name: string }]
  r2_buckets: [{ bucket_name: string }]
  queues: { consumers: { queue: string }[] }
}

/** @throws Error if wrangler.toml has no such environment */
export async function readTarget(environment: string): Promise<Target> {
  const text = await readFile(join(ROOT, 'wrangler.toml'), 'utf8')
  const { env, account_id } = parse(text) as unknown as { env: Record<string, Environment>; account_id?: string }
  const config = Object.hasOwn(env, environment) ? env[environment] : undefined
  if (!config)
    throw new Error(`wrangler.toml has no environment ${environment}, only ${Object.keys(env).join(' and ')}`)
  const [database] = config.d1_databases
  return {
    environment,
    worker: config.name,
    account: config.account_id ?? account_id,
    database: { name: database.database_name, binding: database.binding },
    bucket: config.r2_buckets[0].bucket_name,
    // Every queue has a consumer, because the Worker also records dead letters.
    queues: config.queues.consumers.map(({ queue }) => queue),
    secrets: config.secrets.required,
    publicUrl: config.vars.PUBLIC_URL || undefined,
  }
}
