import type { Caller } from '../../auth/scheme.ts'
import type { Database } from '../../db/port.ts'
import { ProblemError } from '../../domain/problems.ts'
import { findWebhook, type StoredWebhook } from '../../stores/webhooks.ts'

/** What a 404 says. */
export const NO_WEBHOOK = 'You have no subscription with this id.'

/** The caller's subscription among those that were read. @throws ProblemError 404 if there is none */
export function requireOwnWebhook([webhook]: readonly StoredWebhook[], { id }: Caller): StoredWebhook {
  if (webhook?.userId === id) return webhook
  throw new ProblemError('not-found', NO_WEBHOOK)
}

/** Reads a user's subscription. @throws ProblemError 404 if the user has none with this id */
export async function requireWebhook(db: Database, userId: number, id: number): Promise<StoredWebhook> {
  const webhook = await findWebhook(db, userId, id)
  if (webhook) return webhook
  throw new ProblemError('not-found', NO_WEBHOOK)
}
