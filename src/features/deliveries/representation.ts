import type { Delivery, DeliveryDetail } from '../../schemas/delivery.ts'
import type { findDelivery, StoredDelivery } from '../../stores/deliveries.ts'

type FoundDelivery = NonNullable<Awaited<ReturnType<typeof findDelivery>>>

/** A delivery as the list shows it. */
export function presentDelivery(delivery: StoredDelivery): Delivery {
  const { id, messageId, event, status, planetId, webhookId, url, createdAt, nextAttemptAt, endedAt } = delivery
  return {
    id,
    messageId,
    event,
    status,
    ...(planetId !== null && { planetId }),
    ...(webhookId !== null && { webhookId }),
    url,
    createdAt: createdAt.toISOString(),
    ...(nextAttemptAt && { nextAttemptAt: nextAttemptAt.toISOString() }),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
    attempts: delivery.attempts,
  }
}

/** A delivery with its body and every attempt, oldest first. */
export function presentDetail({ payload, attempts, ...delivery }: FoundDelivery): DeliveryDetail {
  return {
    ...presentDelivery({ ...delivery, attempts: attempts.length }),
    body: payload.body,
    attempts: attempts.toReversed().map(({ startedAt, durationMs, status, error, response }) => ({
      startedAt: startedAt.toISOString(),
      durationMs,
      ...(status !== null && { status }),
      ...(error !== null && { error }),
      ...(response !== null && { response }),
    })),
  }
}
