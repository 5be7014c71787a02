import { ProblemError } from '../../domain/problems.ts'
import type { StoredWebhook } from '../../stores/webhooks.ts'

/**
 * @param webhook The subscription that was found among the subscriptions of the caller
 * @throws ProblemError 404 if there is none
 */
export function requireOwnWebhook(webhook: StoredWebhook | undefined): StoredWebhook {
  if (webhook) return webhook
  throw webhookNotFound()
}

/** The problem for a subscription that does not exist, or belongs to another user. */
export function webhookNotFound(): ProblemError {
  return new ProblemError('not-found', 'You have no subscription with this id.')
}
