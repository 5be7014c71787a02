import type { Database } from '../../db/client.ts'
import { ProblemError } from '../../domain/problems.ts'
import { findWebhook, type StoredWebhook } from '../../stores/webhooks.ts'

/** What a 404 says. */
export const NO_WEBHOOK = 'You have no subscription with this id.'

/** Reads a user's subscription. @throws ProblemError 404 if the user has none with this id */
export async function requireWebhook(db: Database, userId: number, id: number): Promise<StoredWebhook> {
  const webhook = await findWebhook(db, userId, id)
  if (webhook) return webhook
  throw new ProblemError('not-found', NO_WEBHOOK)
}
