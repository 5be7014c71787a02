import { readFile } from 'node:fs/promises'
import { makeDataKeys, makeSigningKeys } from './local-secrets.ts'

// npm run --silent signing-keys [-- FILE], and data-key: prints a new key, in front of those in the file.

const COMMANDS: Record<string, (older?: string) => string> = {
  'signing-keys': makeSigningKeys,
  'data-key': makeDataKeys,
}

const [name = '', file] = process.argv.slice(2)
process.stdout.write(COMMANDS[name]?.(file === undefined ? undefined : await readFile(file, 'utf8')) ?? '')
