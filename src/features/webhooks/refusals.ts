import type { WebhookRefusal } from '../../stores/webhooks.ts'

/** Subscriptions of one account. */
export const WEBHOOKS_MAX = 10

/** Why a subscription is not stored. */
export const REFUSALS: Record<WebhookRefusal, string> = {
  duplicate: 'You have another subscription to this URL. Change or delete that one.',
  'too-many': `An account may have ${WEBHOOKS_MAX} subscriptions. Delete one first.`,
}
