import type { RunWrangler } from './wrangler.ts'

export interface Tools {
  wrangler: RunWrangler
  /** The shipped planets: how many there are, and the SQL that inserts those that are missing. */
  readPlanets(): Promise<{ count: number; writeSql(): string }>
  /** Tries the service at an address. It fails if the service does not work. */
  tryService(origin: string): Promise<void>
  /** Where the secrets of deployments are kept, with a folder for each environment. */
  secretsFolder: string
}

/** A step of a deployment. It checks what already exists and does only what is missing, so it can be repeated. */
export interface Step {
  title: string
  /** The commands that it runs, as they would be typed. */
  commands: string[]
  /** Whether it changes nothing in the account, so that a dry run runs it too. */
  isLocal?: true
  /** @returns What it found or did */
  run(): Promise<string>
}

/** Runs wrangler. @returns What it printed; undefined if it failed with a message that is expected */
export async function runToleratingFailure(
  wrangler: RunWrangler,
  args: readonly string[],
  expected: RegExp,
): Promise<string | undefined> {
  return await wrangler(args).catch((error) => {
    if (expected.test(error.message)) return undefined
    throw error
  })
}

/** A command of wrangler, as it would be typed. */
export function formatCommand(args: readonly string[]): string {
  return `npx wrangler ${args.join(' ')}`
}
