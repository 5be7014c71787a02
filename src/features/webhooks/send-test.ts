import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { commit } from '../../changes/commit.ts'
import { enqueue } from '../../changes/enqueue.ts'
import type { Database } from '../../db/port.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import type { Reply } from '../../domain/reply.ts'
import { entity } from '../../http/body/entity.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { DeliveryDetail, EXAMPLE_TEST } from '../../schemas/delivery.ts'
import { ReceiverTestInput } from '../../schemas/receiver-test.ts'
import { WebhookPath } from '../../schemas/webhook.ts'
import type { PlannedTest } from '../../stores/callbacks/receiver-tests.ts'
import { type StoredWebhook, sameUrl, selectWebhook } from '../../stores/webhooks.ts'
import { presentDetail } from '../deliveries/representation.ts'
import { requireOwnWebhook, requireWebhook } from './access.ts'
import { planTest, storeTests, writePayload } from './plan-tests.ts'

export const sendTest = defineRoute({
  method: 'post',
  path: '/webhooks/{webhookId}/tests',
  operationId: 'testWebhook',
  tag: 'Callbacks',
  summary: 'Test the receiver of a subscription',
  description: doc(
    'Sends one call that is right, unusual or wrong in one point (`defect`), and judges the answer of the receiver. Nothing in the call says that it is a test. It is sent whatever the status of the subscription, is not retried, and changes nothing of the subscription. `Location` is the delivery in the log, whose `test` has the verdict. The response is 409 if the subscription kept changing for five seconds.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  formats: ['json'],
  keepsReply: true,
  params: WebhookPath,
  prefetch: ({ webhookId }) => selectWebhook(webhookId),
  body: entity(ReceiverTestInput, ['json'], { mayBeEmpty: true }),
  responses: {
    202: {
      description: doc('The delivery of the test'),
      schema: DeliveryDetail,
      example: EXAMPLE_TEST,
      headers: ['Location'],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}/deliveries/1` },
      links: {
        GetDelivery: {
          operationId: 'getDelivery',
          description: doc('The delivery, with the answer of the receiver'),
          parameters: { deliveryId: '$response.body#/id' },
        },
      },
    },
  },
  problems: ['account-limit-reached', 'conflict'],
  async handle({ params: { webhookId }, body, caller, prefetched }, context) {
    const read = requireOwnWebhook(prefetched, caller)
    const write = (webhook: StoredWebhook) => storeTest(webhook, body, context)
    const reread = (db: Database) => requireWebhook(db, caller.id, webhookId)
    return await writeWhatWasRead(
      { resource: `webhook ${webhookId}`, read, isConditional: false, write, reread },
      context,
    )
  },
})

async function storeTest(
  webhook: StoredWebhook,
  { event, payload, defect }: ReceiverTestInput,
  context: RequestContext,
): Promise<Reply<202, DeliveryDetail>> {
  const { now, services, baseUrl } = context
  const ids = await context.takeIds({ deliveries: 1 })
  const test = planTest(event, defect, ids.next('deliveries'))
  const plan = { event, payload: writePayload(event, payload, baseUrl), checkId: null }
  const document = presentDetail(newDelivery(webhook, test, plan, now))
  const answer = reply(202, document, { Location: `${baseUrl}/deliveries/${test.deliveryId}` })
  const stored = storeTests(webhook, plan, [test], now)
  await commit(context, { ids, requires: [sameUrl(webhook)], ...stored, reply: answer })
  enqueue(services, [{ delivery: test.deliveryId }])
  return answer
}

/** A delivery of a test as the log has it before its first call. */
function newDelivery(
  { id: webhookId, url }: StoredWebhook,
  { deliveryId: id, messageId, defect }: PlannedTest,
  { event, payload }: { event: DeliveryDetail['event']; payload: string },
  now: Date,
): Parameters<typeof presentDetail>[0] {
  return {
    id,
    messageId,
    event,
    status: 'pending',
    planetId: null,
    webhookId,
    url,
    createdAt: now,
    nextAttemptAt: now,
    waitingFor: null,
    waitingSince: null,
    endedAt: null,
    test: { defect, verdict: null, reason: null },
    payload: { body: payload, liveId: null },
    attempts: [],
  }
}
