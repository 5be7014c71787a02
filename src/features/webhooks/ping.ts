import { commit } from '../../changes/commit.ts'
import type { Database } from '../../db/port.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import { writeEvent } from '../../schemas/events.ts'
import { type StoredWebhook, sameUrl } from '../../stores/webhooks.ts'
import { requireWebhook } from './access.ts'

/**
 * @returns The id of the delivery
 * @throws ProblemError 403 if the account has no room for the delivery; 404 if the subscription was deleted meanwhile;
 * 409 if it kept changing
 */
export async function pingWebhook(read: StoredWebhook, context: RequestContext): Promise<number> {
  const { now } = context
  const { id, userId } = read
  const payload = { webhookId: id, message: 'Your receiver is reachable.', sentAt: now.toISOString() }
  const body = writeEvent('ping', payload)
  const write = async (webhook: StoredWebhook) => {
    const { url, origin, host } = webhook
    const { deliveryId } = await commit(context, {
      requires: [sameUrl(webhook)],
      statements: [],
      calls: { type: 'ping', receiver: { userId, webhookId: id, url, origin, host }, body },
    })
    if (deliveryId === undefined) throw new Error('the database returned no id for a delivery that it stored')
    return deliveryId
  }
  const reread = (db: Database) => requireWebhook(db, userId, id)
  return await writeWhatWasRead({ resource: `webhook ${id}`, read, isConditional: false, write, reread }, context)
}
