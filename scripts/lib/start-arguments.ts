import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './root.ts'
import { readServiceOptions, SERVICE_OPTIONS } from './service-options.ts'

/** The command that the user types before the options. */
export const COMMAND = 'npm start --'

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

/** @throws Error if one of them is wrong */
export function readStartArguments(args: string[]): StartArguments {
  const { values } = parseArgs({
    args,
    options: { ...SERVICE_OPTIONS, 'test-scheduled': { type: 'boolean', default: false } },
  })
  const { port, ip, seed, baseUrlAt, variablesAt } = readServiceOptions(values, 1)
  const variables = Object.entries(variablesAt(port)).flatMap(([name, value]) => ['--var', `${name}:${value}`])
  const passedOn = [
    ...variables,
    ...(ip === undefined ? [] : ['--ip', ip]),
    ...(values['test-scheduled'] ? ['--test-scheduled'] : []),
  ]
  const folder = resolve(values['persist-to'] ?? join(ROOT, '.wrangler', 'state'))
  return { port, baseUrl: baseUrlAt(port), stateFolder: seed === undefined ? folder : undefined, passedOn }
}
