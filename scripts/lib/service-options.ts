import { networkInterfaces } from 'node:os'
import { SEED_FORM } from '../../src/lib/ids.ts'
import { LOCAL_VARIABLES } from './local-variables.ts'

/** The options that `npm start` and the command of the package share, for `parseArgs`. */
export const SERVICE_OPTIONS = {
  port: { type: 'string', default: '8787' },
  ip: { type: 'string' },
  'persist-to': { type: 'string' },
  seed: { type: 'string' },
  var: { type: 'string', multiple: true },
} as const

/** What `parseArgs` makes of these options. */
interface Values {
  port: string
  ip?: string | undefined
  'persist-to'?: string | undefined
  seed?: string | undefined
  var?: string[] | undefined
}

export interface ServiceOptions {
  port: number
  /** The address at which it listens; undefined: loopback. */
  ip: string | undefined
  /** What the ids are made from; undefined: they are random. */
  seed: string | undefined
  /** Where this machine reaches the service at a port. */
  baseUrlAt(port: number): string
  /** The variables that differ from wrangler.toml if the service is at a port. */
  variablesAt(port: number): Record<string, string>
}

/**
 * Checks the shared options.
 *
 * @param firstPort The lowest port that is allowed
 * @throws Error if one of them is wrong
 */
export function readServiceOptions(values: Values, firstPort: number): ServiceOptions {
  const { ip, seed, var: variables = [] } = values
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port < firstPort || port > 65_535)
    throw new Error(`--port must be a number from ${firstPort} to 65535`)
  // A seed makes the same ids again, which would collide with the ids of stored rows.
  if (seed !== undefined && values['persist-to'] !== undefined)
    throw new Error('--seed begins with a new database, so it cannot be used with --persist-to')
  if (seed !== undefined && !SEED_FORM.test(seed))
    throw new Error('--seed must have 1 to 64 characters: letters, digits, ".", "_" and "-"')
  const given = Object.fromEntries(variables.map(readVariable))
  if ('SEED' in given) throw new Error('Use --seed TEXT, not --var SEED')
  const host = hostOf(ip ?? 'localhost')
  return {
    port,
    ip,
    seed,
    baseUrlAt: (at) => `http://${EVERY_ADDRESS.includes(host) ? 'localhost' : host}:${at}`,
    variablesAt: (at) => ({
      ...LOCAL_VARIABLES,
      OWN_ADDRESSES: listAddresses(host, at).join(),
      ...given,
      ...(seed !== undefined && { SEED: seed }),
    }),
  }
}

/** @throws Error if it is not `NAME:VALUE` */
function readVariable(text: string): [string, string] {
  const [, name, value] = /^(\w+):(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new Error(`--var must be NAME:VALUE, and this is ${text}`)
  return [name, value]
}

/** What the URL parser makes of the addresses that mean all addresses of the machine. */
const EVERY_ADDRESS = ['0.0.0.0', '[::]']

/**
 * An address, or a name, as the URL parser writes it.
 *
 * @throws Error if a URL cannot have it
 */
function hostOf(address: string): string {
  const url = /^[\w.:-]+$/.test(address) && URL.parse(`http://${address.includes(':') ? `[${address}]` : address}`)
  if (!url) throw new Error('--ip must be an address of this machine')
  return url.hostname
}

/** Where the service answers, as `host:port`, so that it knows itself. The names of loopback count as one. */
function listAddresses(host: string, port: number): string[] {
  const every = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => hostOf(address)),
  )
  const hosts = EVERY_ADDRESS.includes(host) ? every : [host]
  return [...new Set(['localhost', ...hosts])].map((name) => `${name}:${port}`)
}
