import { readFile } from 'node:fs/promises'
import { makeDataKeys, makeSigningKeys } from './local-secrets.ts'

// npm run --silent signing-keys|data-key [-- FILE]
// Prints a new key, followed by the older keys in the file.

const COMMANDS: Record<string, (older?: string) => string> = {
  'signing-keys': makeSigningKeys,
  'data-key': makeDataKeys,
}

const [name = '', file] = process.argv.slice(2)
const olderKeys = file === undefined ? undefined : await readFile(file, 'utf8')
process.stdout.write(COMMANDS[name]?.(olderKeys) ?? '')
