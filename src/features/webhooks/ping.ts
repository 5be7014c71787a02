import type { Database } from '../../db/client.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import { writeEvent } from '../../schemas/events.ts'
import { insertPing } from '../../stores/callbacks/new-deliveries.ts'
import { findWebhook, type StoredWebhook } from '../../stores/webhooks.ts'
import { enqueue } from '../callbacks/enqueue.ts'
import { requireOwnWebhook } from './access.ts'

/**
 * Stores and queues a ping to a subscription.
 *
 * @param read The subscription as it was read at the start of the request
 * @returns The id of the delivery
 * @throws ProblemError 403 if the account has no room for the delivery; 404 if the subscription was deleted meanwhile;
 * 409 if it kept changing
 */
export async function pingWebhook(read: StoredWebhook, context: RequestContext): Promise<number> {
  const { services, session, now } = context
  const { id, userId } = read
  const { accountLimits } = services.config
  const payload = { webhookId: id, message: 'Your receiver is reachable.', sentAt: now.toISOString() }
  const body = writeEvent('ping', payload)
  const write = async (webhook: StoredWebhook) => insertPing(session.db, webhook, body, accountLimits, now)
  const reread = async (db: Database) => requireOwnWebhook(await findWebhook(db, userId, id))
  const deliveryId = await writeWhatWasRead(
    { resource: `webhook ${id}`, read, isConditional: false, write, reread },
    context,
  )
  enqueue(services, [{ delivery: deliveryId }])
  return deliveryId
}
