import type { Delivery, DeliveryDetail } from '../../schemas/delivery.ts'
import type { findDelivery, StoredDelivery } from '../../stores/deliveries.ts'

type FoundDelivery = NonNullable<Awaited<ReturnType<typeof findDelivery>>>

/** A delivery as the list shows it. */
export function presentDelivery(delivery: StoredDelivery): Delivery {
  const { planetId, webhookId, createdAt, nextAttemptAt, endedAt, ...rest } = delivery
  return {
    ...rest,
    ...(planetId !== null && { planetId }),
    ...(webhookId !== null && { webhookId }),
    createdAt: createdAt.toISOString(),
    ...(nextAttemptAt && { nextAttemptAt: nextAttemptAt.toISOString() }),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
  }
}

/** A delivery with its body and every attempt, oldest first. */
export function presentDetail({ event, attempts, ...delivery }: FoundDelivery): DeliveryDetail {
  const summary = { ...delivery, event: event.type, planetId: event.planetId, attempts: attempts.length }
  return {
    ...presentDelivery(summary),
    body: event.body,
    attempts: attempts.toReversed().map(({ startedAt, durationMs, status, error, response }) => ({
      startedAt: startedAt.toISOString(),
      durationMs,
      ...(status !== null && { status }),
      ...(error !== null && { error }),
      ...(response !== null && { response }),
    })),
  }
}
