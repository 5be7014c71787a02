import { PURPOSES } from '../../auth/purposes.ts'
import type { Session } from '../../db/port.ts'
import { writeLine } from '../../lib/log-line.ts'
import { CannotOpen, type Vault } from '../../lib/vault.ts'
import {
  listSealedWith,
  type ResealedValue,
  replaceSealed,
  type SealedKind,
  type SealedValue,
} from '../../stores/sealed-values.ts'

/** How much a sweep encrypts again. A kept reply may have a megabyte, and all values are in memory at once. */
const PER_SWEEP = { count: 100, size: 4 * 1024 * 1024 }

/** The purpose for which each kind of value was encrypted, see `Vault.seal`. */
const PURPOSE_OF: Readonly<Record<SealedKind, (value: SealedValue) => string>> = {
  signingSecret: ({ userId }) => PURPOSES.user(userId),
  previousSigningSecret: ({ userId }) => PURPOSES.user(userId),
  webhookSecret: ({ userId }) => PURPOSES.webhook(userId),
  webhookAuth: ({ userId }) => PURPOSES.webhookAuth(userId),
  keptReply: ({ userId, key }) => PURPOSES.keptReply(userId, key ?? ''),
}

/**
 * Encrypts stored values with the newest key of DATA_KEY, if older keys have encrypted them: PER_SWEEP in each sweep.
 * When none is left, the operator can remove the older keys.
 */
export async function resealSecrets(session: Session, vault: Vault): Promise<void> {
  if (vault.olderVersions.length === 0) return
  const values = await listSealedWith(session.db, vault.olderVersions, PER_SWEEP)
  if (values.length === 0) return
  const results = await Promise.all(values.map((value) => reseal(value, vault)))
  const resealed = results.filter((value) => value !== undefined)
  await replaceSealed(session, resealed)
  writeLine({ event: 'secrets-encrypted-again', count: resealed.length })
}

/** Encrypts a value with the newest key. @returns Undefined if the value cannot be decrypted: then it stays as it is */
async function reseal(value: SealedValue, vault: Vault): Promise<ResealedValue | undefined> {
  const purpose = PURPOSE_OF[value.kind](value)
  try {
    const opened = await vault.open(value.sealed, purpose)
    return { ...value, resealed: await vault.seal(opened, purpose) }
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error
    console.warn(JSON.stringify({ event: 'secret-lost', kind: value.kind, userId: value.userId, error: error.message }))
    return undefined
  }
}
