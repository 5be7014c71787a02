import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readServiceOptions, SERVICE_OPTIONS, type ServiceOptions } from '../../scripts/lib/service-options.ts'
import { Failure } from './exit.ts'

export const USAGE = `Usage: galaxy [options]
       galaxy lab --help: judges an API client

  --port N           the port (8787); 0 takes a free one
  --ip ADDRESS       the address at which it listens (loopback)
  --persist-to DIR   the folder for everything that it stores (.galaxy, or GALAXY_HOME)
  --memory           stores everything in a temporary folder, which is removed at the end
  --seed TEXT        as --memory, and makes the same ids each time
  --var NAME:VALUE   sets a variable of the service; can be repeated
  --json             prints one line when it is ready: {"url", "pid", "version"}
  --quiet            prints errors only
  --with-parent      ends when its standard input ends
  --test-scheduled   says how to run the job of each minute at once (--json: as "scheduled")
  --version, --help`

export interface CommandOptions extends ServiceOptions {
  /** The folder for everything that is stored; undefined: a temporary one. */
  folder: string | undefined
  /** Whether one line in JSON says that the service is ready. */
  isJson: boolean
  /** Whether only errors are printed. */
  isQuiet: boolean
  /** Whether the command ends when its standard input ends. */
  isWithParent: boolean
  /** Whether the command says how to run the scheduled job. */
  tellsSchedule: boolean
}

/**
 * Reads the arguments of the command.
 *
 * @param home The folder if the user names none
 * @returns The options, or a question of the user
 * @throws Failure if an argument is wrong
 */
export function readOptions(args: string[], home: string): CommandOptions | 'help' | 'version' {
  try {
    const { values } = parseArgs({
      args,
      options: {
        ...SERVICE_OPTIONS,
        memory: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        quiet: { type: 'boolean', default: false },
        'with-parent': { type: 'boolean', default: false },
        'test-scheduled': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        version: { type: 'boolean', default: false },
      },
    })
    if (values.help) return 'help'
    if (values.version) return 'version'
    const { memory, 'persist-to': folder } = values
    if (memory && folder !== undefined)
      throw new Error('--memory stores nothing, so it cannot be used with --persist-to')
    if (folder === '') throw new Error('--persist-to must be a folder')
    const isTemporary = memory || values.seed !== undefined
    return {
      ...readServiceOptions(values, 0),
      folder: isTemporary ? undefined : resolve(folder ?? home),
      isJson: values.json,
      isQuiet: values.quiet,
      isWithParent: values['with-parent'],
      tellsSchedule: values['test-scheduled'],
    }
  } catch (error) {
    throw new Failure('arguments', `${error instanceof Error ? error.message : error}\n\n${USAGE}`)
  }
}
