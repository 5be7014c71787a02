import { spawnSync } from 'node:child_process'

/**
 * Whether a program that some tests need is installed. If it is not, a warning says what is not tested.
 *
 * @param name The name of the program in the warning
 * @param command A command that succeeds if the program is installed
 * @param untested What is not tested without the program
 */
export function isInstalled(name: string, command: readonly [string, ...string[]], untested: string): boolean {
  const [program, ...args] = command
  const hasSucceeded = spawnSync(program, args).status === 0
  if (!hasSucceeded) console.warn(`\n*** ${name} is not installed. Not tested: ${untested}. ***\n`)
  return hasSucceeded
}

/** The same, but in CI everything is tested, and fails if its program is not installed. `.ci/run` installs it. */
export function isTested(...what: Parameters<typeof isInstalled>): boolean {
  return isInstalled(...what) || process.env.CI === 'true'
}
