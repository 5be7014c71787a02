import type { Database } from '../db/client.ts'
import { writeLine } from '../lib/log-line.ts'
import { CannotOpen, type Vault } from '../lib/vault.ts'
import { listSealedWith, replaceSealed, type SealedKind, type SealedValue } from '../stores/sealed-values.ts'
import { PURPOSES } from './signing-secrets.ts'

/** How many values a sweep encrypts again. */
const VALUES_PER_SWEEP = 100

/** The purpose for which each kind of value was encrypted, see `Vault.seal`. */
const PURPOSE_OF: Readonly<Record<SealedKind, (userId: number) => string>> = {
  signingSecret: PURPOSES.user,
  previousSigningSecret: PURPOSES.user,
  webhookSecret: PURPOSES.webhook,
  webhookAuth: PURPOSES.webhookAuth,
}

/**
 * After a new key was put in front of DATA_KEY, encrypts what is stored with the new key, some of it in each sweep. When
 * nothing is left, the operator can remove the old key. With one key, this does nothing.
 */
export async function resealSecrets(db: Database, vault: Vault): Promise<void> {
  if (vault.olderVersions.length === 0) return
  const values = await listSealedWith(db, vault.olderVersions, VALUES_PER_SWEEP)
  if (values.length === 0) return
  const resealed = await Promise.all(values.map((value) => reseal(value, vault)))
  await replaceSealed(
    db,
    resealed.filter((value) => value !== undefined),
  )
  writeLine({ event: 'secrets-encrypted-again', count: values.length })
}

/** @returns Undefined if the value cannot be decrypted: then it stays as it is */
async function reseal(value: SealedValue, vault: Vault): Promise<(SealedValue & { next: string }) | undefined> {
  const purpose = PURPOSE_OF[value.kind](value.userId)
  try {
    return { ...value, next: await vault.seal(await vault.open(value.sealed, purpose), purpose) }
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error
    console.warn(JSON.stringify({ event: 'secret-lost', kind: value.kind, userId: value.userId, error: error.message }))
    return undefined
  }
}
