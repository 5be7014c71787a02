import { parseArgs } from 'node:util'

export const USAGE = `npm run conformance -- ADDRESS [--read-only] [--only TEXT]… [--junit FILE] [--timeout SECONDS]
npm run conformance -- --world URL [--only TEXT]… [--junit FILE] [--timeout SECONDS]
npm run conformance -- --list`

const TIMEOUT_DEFAULT_SECONDS = 15
const TIMEOUT_MAX_SECONDS = 60

/** What is tested, and what may be done there. */
export type Target =
  /** Makes a universe at the address, and ends it. */
  | { kind: 'address'; url: string }
  /** Creates accounts and planets in a world, and deletes them. */
  | { kind: 'world'; url: string }
  /** Changes nothing. */
  | { kind: 'read-only'; url: string }
  /** Only lists the checks. */
  | { kind: 'list' }

export interface ConformanceArguments {
  target: Target
  /** Texts of which the name of a check has at least one; none selects every check. */
  only: string[]
  junit: string | undefined
  timeoutMs: number
}

/**
 * Reads the arguments of `npm run conformance`.
 *
 * @throws Error if an argument is missing or not valid
 */
export function readConformanceArguments(args: string[]): ConformanceArguments {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      world: { type: 'string' },
      'read-only': { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      junit: { type: 'string' },
      timeout: { type: 'string', default: String(TIMEOUT_DEFAULT_SECONDS) },
      list: { type: 'boolean', default: false },
    },
  })
  const seconds = Number(values.timeout)
  if (!(seconds > 0 && seconds <= TIMEOUT_MAX_SECONDS)) {
    throw new Error(`--timeout must be a number of seconds, at most ${TIMEOUT_MAX_SECONDS}`)
  }
  const target = values.list ? { kind: 'list' as const } : readTarget(positionals, values.world, values['read-only'])
  return { target, only: values.only, junit: values.junit, timeoutMs: seconds * 1000 }
}

function readTarget(positionals: string[], world: string | undefined, isReadOnly: boolean): Target {
  const [address, ...more] = positionals
  if (more.length > 0) throw new Error(`One address can be tested at a time, and ${more[0]} is another one`)
  if (world !== undefined && address !== undefined) throw new Error('ADDRESS and --world exclude each other')
  if (world !== undefined && isReadOnly) throw new Error('--world and --read-only exclude each other')
  if (world !== undefined) return { kind: 'world', url: readBaseUrl(world) }
  if (address === undefined) throw new Error('ADDRESS is missing')
  return { kind: isReadOnly ? 'read-only' : 'address', url: readBaseUrl(address) }
}

/** A base URL without a slash at its end. It may have a path. */
function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`${text} is not an http or https URL`)
  if (url.search || url.hash || url.username)
    throw new Error(`${text} must not have a query, a fragment or a user name`)
  return url.href.replace(/\/+$/, '')
}
