import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { enqueue } from '../../changes/enqueue.ts'
import { ProblemError } from '../../domain/problems.ts'
import { listOwn, readOwn } from '../../http/own-routes.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { DeliveryDetail, DeliveryPage, DeliveryPath, DeliveryQuery } from '../../schemas/delivery.ts'
import { type FoundDelivery, findDelivery, listDeliveries, redeliver } from '../../stores/callbacks/delivery-log.ts'
import { presentDelivery, presentDetail } from './representation.ts'

const PATH = '/deliveries'
const NO_DELIVERY = 'You have no delivery with this id.'

const list = listOwn({
  path: PATH,
  operationId: 'listDeliveries',
  tag: 'Callbacks',
  summary: 'Get your deliveries',
  description: doc(
    'Returns a page of your deliveries, in order of id: callbacks for your planets, and events for your subscriptions, whether they were already sent or not. A delivery with `waitingSince` waits for its turn, because its host has reached its limit of calls. A delivery stays in the log for one week after it ends, unless the operator has configured another period.',
  ),
  query: DeliveryQuery,
  page: DeliveryPage,
  found: doc('A page of your deliveries'),
  list: (query, caller, { session }) => listDeliveries(session.db, caller.id, query),
  present: presentDelivery,
})

const read = readOwn({
  path: `${PATH}/{deliveryId}`,
  operationId: 'getDelivery',
  tag: 'Callbacks',
  summary: 'Get a delivery',
  description: doc(
    'Returns one of your deliveries, with its body and every attempt. An attempt includes the response of the receiver.',
  ),
  params: DeliveryPath,
  schema: DeliveryDetail,
  found: doc('The delivery'),
  missing: NO_DELIVERY,
  find: ({ deliveryId }, caller, { session }) => findDelivery(session.db, caller.id, deliveryId),
  present: presentDetail,
})

const redelivery = defineRoute({
  method: 'post',
  path: `${PATH}/{deliveryId}/redeliver`,
  operationId: 'redeliver',
  tag: 'Callbacks',
  summary: 'Redeliver',
  description: doc(
    'Attempts a delivery now, or as soon as the limits on calls to its host allow it. The delivery can have any status. The body and the `webhook-id` stay the same. If the delivery had ended, its retry schedule starts again. The response is 409 if it is a test, if an attempt is in progress, if the subscription is not active, or if the receiver returned 204 because it wants no further callbacks for the planet.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  params: DeliveryPath,
  responses: { 202: { description: doc('The delivery is due now or waits for its turn'), schema: DeliveryDetail } },
  problems: ['conflict'],
  async handle({ params: { deliveryId }, caller }, { services, session, now }) {
    const redelivered = await redeliver(session, caller.id, deliveryId, now)
    if (!redelivered) throw new ProblemError('not-found', NO_DELIVERY)
    const { isDue, delivery } = redelivered
    if (!isDue) throw new ProblemError('conflict', explainRefusal(delivery, now))
    enqueue(services, [{ delivery: deliveryId }])
    return reply(202, presentDetail(delivery))
  },
})

/** Why a delivery cannot be redelivered now. */
function explainRefusal({ leasedUntil, webhookId, webhook, test }: FoundDelivery, now: Date): string {
  if (test) return 'A test is sent once. Send another one to the subscription.'
  if (leasedUntil && leasedUntil >= now)
    return 'An attempt of this delivery is in progress. Try again when it has ended.'
  // Without a subscription, this is the callback of a planet. Only a refusal by its receiver is left as the reason.
  if (webhookId === null)
    return 'The receiver returned 204 to an earlier callback. So it receives no further callbacks for this planet.'
  return webhook
    ? `The subscription of this delivery is ${webhook.status}. Set its status to active first.`
    : 'The subscription of this delivery was deleted, so nothing can be sent to it.'
}

export const deliveryRoutes: readonly Route[] = [list, read, redelivery]
