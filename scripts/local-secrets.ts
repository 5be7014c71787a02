import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './wrangler.ts'

const FILE = join(ROOT, '.dev.vars')

/** Every secret of the service and how to make one. */
const SECRETS: Record<string, () => string> = {
  SIGNING_KEYS: makeSigningKeys,
}

/** Makes the secrets for local use that are not there yet. The file is ignored by git. */
export async function ensureLocalSecrets(): Promise<void> {
  const text = await readFile(FILE, 'utf8').catch(() => '')
  const missing = Object.keys(SECRETS).filter((name) => !new RegExp(`^${name}=`, 'm').test(text))
  if (missing.length === 0) return
  const lines = missing.map((name) => `${name}=${SECRETS[name]?.()}\n`)
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  await writeFile(FILE, text + gap + lines.join(''), { mode: 0o600 })
}

/** A JWK Set (RFC 7517, section 5) with one new RSA key of 2048 bits. */
export function makeSigningKeys(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return JSON.stringify({
    keys: [{ kid: randomUUID(), alg: 'RS256', use: 'sig', ...privateKey.export({ format: 'jwk' }) }],
  })
}

if (import.meta.main) process.stdout.write(makeSigningKeys())
