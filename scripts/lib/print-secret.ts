import { readFileSync } from 'node:fs'
import { fail } from './fail.ts'
import { makeDataKeys, makeSigningKeys } from './local-secrets.ts'

// npm run --silent signing-keys|data-key [-- FILE]
// Prints a new key, followed by the older keys in the file.

const COMMANDS: Record<string, (older?: string) => string | Promise<string>> = {
  'signing-keys': makeSigningKeys,
  'data-key': makeDataKeys,
}

// The npm commands pass the name of one of the commands above.
const [name = '', file] = process.argv.slice(2)
process.stdout.write(await makeKeys())

async function makeKeys(): Promise<string> {
  try {
    return (await COMMANDS[name]?.(file === undefined ? undefined : readFileSync(file, 'utf8'))) ?? ''
  } catch (error) {
    // The message of a parser would show what is in the file.
    const reason = error instanceof SyntaxError ? 'it is not valid JSON' : (error as Error).message
    return fail(`The older keys in ${file} cannot be used: ${reason}.`, 1)
  }
}
