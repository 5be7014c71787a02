import { standingOfKey } from '../stores/account-states.ts'
import { noteKeyUse } from '../stores/api-keys.ts'
import { InvalidCredential } from './invalid-credential.ts'
import type { AuthContext, Claim } from './scheme.ts'
import { hashSecret } from './secrets.ts'

// An API key: `glx_`, 40 random hex digits, and 8 of their SHA-256, by which a mistyped key is told without the database
// and a leaked one by those who scan for such things.
const PREFIX = 'glx_'
const SECRET_BYTES = 20
const CHECK_DIGITS = 8
const FORM = /^glx_([0-9a-f]{40})([0-9a-f]{8})$/
const PREVIEW_LENGTH = PREFIX.length + 6
const USE_PRECISION_MS = 60_000

/** A new key, how its owner recognises it, and what is stored of it. */
export async function makeApiKey(): Promise<{ key: string; preview: string; hash: string }> {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toHex()
  const key = PREFIX + secret + (await checkDigits(secret))
  return { key, preview: key.slice(0, PREVIEW_LENGTH), hash: await hashSecret(key) }
}

/**
 * Verifies a key, wherever it was sent.
 *
 * @throws InvalidCredential
 */
export async function verifyApiKey(key: string, { services, session, now }: AuthContext): Promise<Claim> {
  const [, secret = '', check] = FORM.exec(key) ?? []
  if (check === undefined || (await checkDigits(secret)) !== check) {
    throw new InvalidCredential('The API key is malformed: its checksum does not match.')
  }
  return {
    standing: standingOfKey(session.db, await hashSecret(key), now),
    async admit(standing) {
      if (!standing?.key) throw new InvalidCredential('The API key was revoked or has expired.')
      const { id, scopes, lastUsedAt } = standing.key
      if (!lastUsedAt || now.getTime() - lastUsedAt.getTime() >= USE_PRECISION_MS) {
        services.defer(noteKeyUse(session.db, id, now))
      }
      return { account: standing, scopes }
    },
  }
}

async function checkDigits(secret: string): Promise<string> {
  return (await hashSecret(secret)).slice(0, CHECK_DIGITS)
}
