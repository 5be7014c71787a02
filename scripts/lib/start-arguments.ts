import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { LOCAL_VARIABLES } from './local-config.ts'
import { ROOT } from './wrangler.ts'

export const USAGE = 'npm start -- [--port N] [--persist-to DIR] [--var NAME:VALUE]… [--test-scheduled]'

export interface StartArguments {
  port: number
  stateFolder: string
  /** Further arguments for wrangler. */
  passedOn: string[]
}

/**
 * Reads the arguments of `npm start`.
 *
 * @throws Error if one of them is wrong
 */
export function readStartArguments(args: string[]): StartArguments {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '8787' },
      'persist-to': { type: 'string', default: '.wrangler/state' },
      var: { type: 'string', multiple: true, default: [] },
      'test-scheduled': { type: 'boolean', default: false },
    },
  })
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('--port must be a number from 1 to 65535')
  const local = Object.entries(LOCAL_VARIABLES)
    .filter(([name]) => !values.var.some((variable) => variable.startsWith(`${name}:`)))
    .map(([name, value]) => `${name}:${value}`)
  const passedOn = [...local, ...values.var].flatMap((variable) => ['--var', variable])
  if (values['test-scheduled']) passedOn.push('--test-scheduled')
  return { port, stateFolder: resolve(ROOT, values['persist-to']), passedOn }
}
