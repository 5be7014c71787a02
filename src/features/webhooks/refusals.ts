import type { WebhookRefusal } from '../../stores/webhooks.ts'

/** Maximum number of subscriptions of one account. */
export const WEBHOOKS_MAX = 10

/** The error message for each reason why a subscription is not stored. */
export const REFUSALS: Record<WebhookRefusal, string> = {
  duplicate: 'You already have a subscription to this URL. Change or delete that subscription.',
  'too-many': `An account can have at most ${WEBHOOKS_MAX} subscriptions. Delete one first.`,
}
