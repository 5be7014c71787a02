import type { Session } from '../db/port.ts'
import { makeSigningSecret } from '../domain/webhook-keys.ts'
import type { Vault } from '../lib/vault.ts'
import { ensureSigningSecret, rotateSigningSecret, type StoredSecret } from '../stores/signing-secrets.ts'
import { PURPOSES } from './purposes.ts'

// The secrets that sign callbacks: one for each user and one for each subscription. They are stored encrypted.

/**
 * The secrets that sign a callback, the newest first. Only the newest is used for `x-signature`, which has room for one
 * signature.
 */
export type Secrets = readonly [string, ...string[]]

export async function ensureSecret(session: Session, vault: Vault, userId: number, now: Date): Promise<StoredSecret> {
  return await ensureSigningSecret(session, userId, await makeSealedSecret(vault, userId), now)
}

export async function rotateSecret(session: Session, vault: Vault, userId: number, now: Date): Promise<StoredSecret> {
  return await rotateSigningSecret(session, userId, await makeSealedSecret(vault, userId), now)
}

async function makeSealedSecret(vault: Vault, userId: number): Promise<string> {
  return await vault.seal(makeSigningSecret(), PURPOSES.user(userId))
}

/** Those that sign callbacks at this time: for a day after a change, the previous secret signs too. */
export async function openSecrets(stored: StoredSecret, vault: Vault, now: Date): Promise<Secrets> {
  const { userId, secret, previous } = stored
  const newest = await vault.open(secret, PURPOSES.user(userId))
  if (previous === null || !previousStillSigns(stored, now)) return [newest]
  try {
    return [newest, await vault.open(previous, PURPOSES.user(userId))]
  } catch (error) {
    // If a key was removed from DATA_KEY, only the secrets that it encrypted are lost.
    console.warn(JSON.stringify({ event: 'secret-lost', userId, error: String(error) }))
    return [newest]
  }
}

export function previousStillSigns({ previousEndsAt }: StoredSecret, now: Date): boolean {
  return previousEndsAt !== null && previousEndsAt > now
}
