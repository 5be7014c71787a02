import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { SEED_FORM } from '../../src/lib/ids.ts'
import { LOCAL_VARIABLES } from './local-config.ts'
import { HOME, IS_PACKAGE } from './wrangler.ts'

/** The command that the user types before the options. */
export const COMMAND = IS_PACKAGE ? 'galaxy' : 'npm start --'

export const USAGE = `${COMMAND} [--port N] [--ip ADDRESS] [--persist-to DIR | --seed TEXT] [--var NAME:VALUE]… [--test-scheduled]`

export interface StartArguments {
  port: number
  /** Where this machine reaches the service. */
  baseUrl: string
  /** Where the database and the images are; undefined if they are new, and are removed at the end. */
  stateFolder: string | undefined
  /** Further arguments for wrangler. */
  passedOn: string[]
}

/**
 * Reads the arguments of `npm start`, and of the command of the package.
 *
 * @throws Error if one of them is wrong
 */
export function readStartArguments(args: string[]): StartArguments {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '8787' },
      ip: { type: 'string' },
      'persist-to': { type: 'string' },
      seed: { type: 'string' },
      var: { type: 'string', multiple: true, default: [] },
      'test-scheduled': { type: 'boolean', default: false },
    },
  })
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('--port must be a number from 1 to 65535')
  const { seed, 'persist-to': folder = join(HOME, '.wrangler', 'state') } = values
  // A seed makes the same ids again, which would collide with the ids of stored rows.
  if (seed !== undefined && values['persist-to'] !== undefined)
    throw new Error('--seed begins with a new database, so it cannot be used with --persist-to')
  if (values.var.some((variable) => variable.startsWith('SEED:'))) throw new Error('Use --seed TEXT, not --var SEED')
  if (seed !== undefined && !SEED_FORM.test(seed))
    throw new Error('--seed must have 1 to 64 characters: letters, digits, ".", "_" and "-"')
  if (seed !== undefined) values.var.push(`SEED:${seed}`)
  const host = hostOf(values.ip ?? 'localhost')
  const local = Object.entries({ ...LOCAL_VARIABLES, OWN_ADDRESSES: listAddresses(host, port).join() })
    .filter(([name]) => !values.var.some((variable) => variable.startsWith(`${name}:`)))
    .map(([name, value]) => `${name}:${value}`)
  const passedOn = [...local, ...values.var].flatMap((variable) => ['--var', variable])
  if (values.ip !== undefined) passedOn.push('--ip', values.ip)
  if (values['test-scheduled']) passedOn.push('--test-scheduled')
  const baseUrl = `http://${EVERY_ADDRESS.includes(host) ? 'localhost' : host}:${port}`
  return { port, baseUrl, stateFolder: seed === undefined ? resolve(folder) : undefined, passedOn }
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
