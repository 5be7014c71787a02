import type { Database } from '../../db/client.ts'
import { callTargetOf } from '../../domain/target-host.ts'
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
 * @returns The id of its delivery
 * @throws ProblemError 403, 404, 409
 */
export async function pingWebhook(read: StoredWebhook, context: RequestContext): Promise<number> {
  const { services, session, baseUrl, now } = context
  const { id, userId } = read
  const { accountLimits } = services.config
  const payload = { webhookId: id, message: 'Your receiver is reachable.', sentAt: now.toISOString() }
  const body = writeEvent('ping', payload)
  const write = async (webhook: StoredWebhook) =>
    insertPing(session.db, webhook, body, await callTargetOf(webhook.url, baseUrl, services), accountLimits, now)
  const reread = async (db: Database) => requireOwnWebhook(await findWebhook(db, userId, id))
  const delivery = await writeWhatWasRead({ read, isConditional: false, write, reread }, context)
  enqueue(services, [{ delivery }])
  return delivery
}
