import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parse } from 'smol-toml'
import { readTarget } from './deploy-target.ts'
import { ROOT } from './root.ts'

/** Options that say where the data is, for `parseArgs`. */
export const LOCATION_OPTIONS = {
  remote: { type: 'boolean', default: false },
  local: { type: 'boolean', default: false },
  env: { type: 'string' },
  'persist-to': { type: 'string' },
} as const

export const LOCATION_USAGE = '[--remote --env NAME | --local [--persist-to DIR]]'

interface LocationValues {
  remote: boolean
  local: boolean
  env?: string | undefined
  'persist-to'?: string | undefined
}

export interface DataLocation {
  /** The environment of wrangler.toml; undefined on this machine. */
  environment: string | undefined
  /** The options of wrangler for the location, in commands about databases and about objects. */
  target: string[]
}

/**
 * Reads where the data is. It is on this machine unless a deployment is named.
 *
 * @throws Error if the options contradict one another, or do not name one location
 */
export function readLocation({ remote, local, env: environment, 'persist-to': folder }: LocationValues): DataLocation {
  if (remote && (local || folder !== undefined))
    throw new Error('--remote cannot be combined with --local or --persist-to')
  if (remote !== (environment !== undefined)) throw new Error('--remote requires --env, and --env requires --remote')
  if (environment !== undefined) return { environment, target: ['--remote', '--env', environment] }
  return { environment, target: ['--local', ...(folder === undefined ? [] : ['--persist-to', resolve(folder)])] }
}

export function describeLocation({ environment, target }: DataLocation): string {
  if (environment !== undefined) return environment
  // The target is `--local` alone, or `--local --persist-to` and a folder.
  const [, , folder = 'this machine'] = target
  return folder
}

/** @throws Error if wrangler.toml has no such environment */
export async function bucketOf({ environment }: DataLocation): Promise<string> {
  if (environment !== undefined) return (await readTarget(environment)).bucket
  const config = parse(await readFile(join(ROOT, 'wrangler.toml'), 'utf8'))
  return (config as unknown as { r2_buckets: [{ bucket_name: string }] }).r2_buckets[0].bucket_name
}
