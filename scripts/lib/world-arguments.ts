import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type DataLocation, LOCATION_OPTIONS, LOCATION_USAGE, readLocation } from './data-location.ts'

const CONFIRMATION = 'It asks for confirmation. Without a terminal, it requires --yes.'

export const EXPORT_USAGE = `npm run export -- FILE [--yes] ${LOCATION_USAGE}\n${CONFIRMATION}`
export const IMPORT_USAGE = `npm run import -- FILE [--replace] [--yes] ${LOCATION_USAGE}\n${CONFIRMATION}`

export interface WorldArguments {
  file: string
  /** Whether an import may remove the data that the target already has. */
  replaces: boolean
  isConfirmed: boolean
  location: DataLocation
}

/**
 * Reads the arguments of `npm run export` and `npm run import`.
 *
 * @param hasTerminal Whether the command can ask its user
 * @throws Error if an argument is missing or not valid
 */
export function readWorldArguments(command: 'export' | 'import', args: string[], hasTerminal: boolean): WorldArguments {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...LOCATION_OPTIONS,
      yes: { type: 'boolean', default: false },
      ...(command === 'import' && { replace: { type: 'boolean', default: false } }),
    },
  })
  const [file, ...others] = positionals
  if (!file || others.length > 0) throw new Error('Name exactly one file')
  if (!values.yes && !hasTerminal) throw new Error('Without a terminal, --yes is required')
  return {
    file: resolve(file),
    replaces: 'replace' in values && values.replace === true,
    isConfirmed: values.yes,
    location: readLocation(values),
  }
}
