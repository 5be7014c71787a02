import { generateKeyPair, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const DATA_KEY_BYTES = 32

/** Registry: the secrets of the service, and how to generate each. */
export const SECRETS: Record<string, () => string | Promise<string>> = {
  SIGNING_KEYS: () => makeSigningKeys(),
  DATA_KEY: () => makeDataKey('1'),
}

/**
 * Generates the local secrets that do not exist yet.
 *
 * @param folder Where their file is, `.dev.vars`
 * @returns The text of the file, one line for each
 */
export async function ensureLocalSecrets(folder: string): Promise<string> {
  const file = join(folder, '.dev.vars')
  const text = existsSync(file) ? await readFile(file, 'utf8') : ''
  const missing = Object.keys(SECRETS).filter((name) => !new RegExp(`^${name}=.`, 'm').test(text))
  if (missing.length === 0) return text
  const lines = await Promise.all(missing.map(async (name) => `${name}=${await SECRETS[name]?.()}\n`))
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  const complete = text + gap + lines.join('')
  // Written elsewhere and then renamed, so that an interruption cannot leave a partial secret.
  const draft = `${file}.${process.pid}`
  await writeFile(draft, complete, { mode: 0o600 })
  await rename(draft, file)
  return complete
}

/**
 * A JWK Set (RFC 7517, section 5) with a new RSA key of 2048 bits, followed by the keys of an older set. The new key
 * signs, and the older keys still verify.
 */
export async function makeSigningKeys(older = '{"keys":[]}'): Promise<string> {
  const { keys } = JSON.parse(older)
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const key = { kid: randomUUID(), alg: 'RS256', use: 'sig', ...privateKey.export({ format: 'jwk' }) }
  return JSON.stringify({ keys: [key, ...keys] })
}

/** A key that seals stored secrets, in the format of DATA_KEY. */
export function makeDataKey(version: string): string {
  return `${version}:${randomBytes(DATA_KEY_BYTES).toString('base64')}`
}

/** The value of DATA_KEY with a new key before the older ones. The new key seals, and the older ones can still open. */
export function makeDataKeys(older = ''): string {
  const keys = older.trim() === '' ? [] : older.trim().split(',')
  const versions = keys.map((key) => Number(key.trim().split(':')[0])).filter(Number.isSafeInteger)
  return [makeDataKey(String(Math.max(0, ...versions) + 1)), ...keys].join(',')
}
