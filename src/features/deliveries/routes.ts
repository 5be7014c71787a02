import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { enqueue } from '../../events/message.ts'
import { pageResponse, replyList } from '../../http/pagination.ts'
import { reply } from '../../http/reply.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { ProblemError } from '../../lib/errors.ts'
import { DeliveryDetail, DeliveryPage, DeliveryPath, DeliveryQuery } from '../../schemas/delivery.ts'
import { findDelivery, listDeliveries, redeliver } from '../../stores/delivery-log.ts'
import { presentDelivery, presentDetail } from './representation.ts'

const PATH = '/deliveries'

const list = defineRoute({
  method: 'get',
  path: PATH,
  operationId: 'listDeliveries',
  tag: 'Callbacks',
  summary: 'Get your deliveries',
  description:
    'The log of what was sent for your planets and to your subscriptions, and of what is still to be sent, in the order of their ids. A delivery with `waitingSince` waits for its turn: its host gets as many calls as it may. An entry is kept for a week after its end, unless the operator has set another time.',
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'read:account',
  query: DeliveryQuery,
  responses: {
    200: pageResponse(PATH, DeliveryPage, 'A page of your deliveries'),
  },
  async handle({ query, caller }, { session }) {
    const { rows, total } = await listDeliveries(session.db, caller.id, query)
    return replyList(PATH, query, rows.map(presentDelivery), total, query)
  },
})

const read = defineRoute({
  method: 'get',
  path: `${PATH}/{deliveryId}`,
  operationId: 'getDelivery',
  tag: 'Callbacks',
  summary: 'Get a delivery',
  description: 'One of your deliveries: what is sent, and every attempt with what the receiver answered.',
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'read:account',
  params: DeliveryPath,
  responses: { 200: { description: 'The delivery', schema: DeliveryDetail } },
  async handle({ params, caller }, { session }) {
    const delivery = await findDelivery(session.db, caller.id, params.deliveryId)
    if (!delivery) throw notFound()
    return reply(200, presentDetail(delivery))
  },
})

const again = defineRoute({
  method: 'post',
  path: `${PATH}/{deliveryId}/redeliver`,
  operationId: 'redeliver',
  tag: 'Callbacks',
  summary: 'Deliver once more',
  description:
    'Attempts a delivery now, or as soon as the limits of calls to its host allow it, whatever has become of it, with the same body and the same `webhook-id`. One that was over begins the schedule of retries anew. 409: an attempt is under way, the subscription is not active, or the receiver has said with 204 that it wants to hear no more of the planet.',
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  params: DeliveryPath,
  responses: { 202: { description: 'It is due now, or waits for its turn', schema: DeliveryDetail } },
  problems: ['conflict'],
  async handle({ params: { deliveryId }, caller }, { services, session, now }) {
    const isDue = await redeliver(session.db, caller.id, deliveryId, now)
    const delivery = await findDelivery(session.db, caller.id, deliveryId)
    if (!delivery) throw notFound()
    if (!isDue) throw new ProblemError('conflict', explainRefusal(delivery, now))
    enqueue(services, [{ delivery: deliveryId }])
    return reply(202, presentDetail(delivery))
  },
})

type Found = NonNullable<Awaited<ReturnType<typeof findDelivery>>>

function explainRefusal({ leasedUntil, webhookId, webhook }: Found, now: Date): string {
  if (leasedUntil && leasedUntil >= now) return 'An attempt is under way.'
  if (webhookId === null) return 'The receiver has said with 204 that it wants to hear no more of this planet.'
  return webhook ? `The subscription is ${webhook.status}. Resume it first.` : 'The subscription is gone.'
}

function notFound(): ProblemError {
  return new ProblemError('not-found', 'You have no delivery with this id.')
}

export const deliveryRoutes: readonly Route[] = [list, read, again]
