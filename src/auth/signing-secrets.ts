import type { Database } from '../db/client.ts'
import { makeSigningSecret } from '../domain/webhook-signature.ts'
import type { Vault } from '../lib/vault.ts'
import { ensureSigningSecret, rotateSigningSecret, type StoredSecret } from '../stores/signing-secrets.ts'

// What signs callbacks: a secret for each user, and one for each subscription. In the database they are sealed.

/** The newest first, which signs alone where one signature is all there is room for. */
export type Secrets = readonly [string, ...string[]]

/** What the secrets of a user and of his subscriptions are sealed for. */
export const PURPOSES = {
  user: (userId: number) => `signing-secret/${userId}`,
  webhook: (userId: number) => `webhook-secret/${userId}`,
  webhookAuth: (userId: number) => `webhook-auth/${userId}`,
} as const

/** The signing secret of a user, who gets one where there is none. */
export async function ensureSecret(db: Database, vault: Vault, userId: number, now: Date): Promise<StoredSecret> {
  return await ensureSigningSecret(db, userId, await makeSealed(vault, userId), now)
}

/** Gives a user a new signing secret. */
export async function rotateSecret(db: Database, vault: Vault, userId: number, now: Date): Promise<StoredSecret> {
  return await rotateSigningSecret(db, userId, await makeSealed(vault, userId), now)
}

async function makeSealed(vault: Vault, userId: number): Promise<string> {
  return await vault.seal(makeSigningSecret(), PURPOSES.user(userId))
}

/** The secrets of a user that sign at a time: for a day the one before the newest signs too. */
export async function openSecrets(stored: StoredSecret, vault: Vault, now: Date): Promise<Secrets> {
  const { userId, secret, previous } = stored
  const newest = await vault.open(secret, PURPOSES.user(userId))
  if (previous === null || !previousHolds(stored, now)) return [newest]
  try {
    return [newest, await vault.open(previous, PURPOSES.user(userId))]
  } catch (error) {
    // A key of DATA_KEY that is gone takes with it what it has sealed, and no more.
    console.warn(JSON.stringify({ event: 'secret-lost', userId, error: String(error) }))
    return [newest]
  }
}

/** Whether the secret before the newest still signs. */
export function previousHolds({ previousEndsAt }: StoredSecret, now: Date): boolean {
  return previousEndsAt !== null && previousEndsAt > now
}
