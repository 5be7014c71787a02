import { isUniverseId } from '../../src/domain/universe-address.ts'

export const USAGE = 'npm run universes -- list | end ID [--remote | --local [--persist-to DIR]]'

export type UniversesArguments = {
  /** Where the database is, as wrangler takes it. */
  target: string[]
} & ({ command: 'list' } | { command: 'end'; id: string })

/** @returns Undefined if an argument is missing or not valid */
export function readUniversesArguments(args: readonly string[]): UniversesArguments | undefined {
  const [command, ...rest] = args
  const targetOf = (options: string[]) => (options.length > 0 ? options : ['--local'])
  if (command === 'list') return { command, target: targetOf(rest) }
  const [id = '', ...options] = rest
  return command === 'end' && isUniverseId(id) ? { command, id, target: targetOf(options) } : undefined
}
