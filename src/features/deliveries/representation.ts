import type { Delivery, DeliveryDetail } from '../../schemas/delivery.ts'
import type { FoundDelivery, StoredDelivery } from '../../stores/callbacks/delivery-log.ts'

/** A delivery as the list shows it. */
export function presentDelivery(delivery: StoredDelivery): Delivery {
  const { id, messageId, event, liveId, status, planetId, webhookId, url, createdAt } = delivery
  const { nextAttemptAt, waitingSince, endedAt } = delivery
  return {
    id,
    messageId,
    event,
    ...(liveId !== null && { eventId: liveId }),
    status,
    ...(planetId !== null && { planetId }),
    ...(webhookId !== null && { webhookId }),
    url,
    createdAt: createdAt.toISOString(),
    ...(nextAttemptAt && { nextAttemptAt: nextAttemptAt.toISOString() }),
    ...(isWaiting(delivery) && waitingSince && { waitingSince: waitingSince.toISOString() }),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
    attempts: delivery.attempts,
  }
}

/**
 * Whether a delivery waits for its turn in the line of its host. `waitingSince` alone does not say so, because it stays
 * set during the attempt that follows.
 */
function isWaiting({ status, waitingFor }: Pick<StoredDelivery, 'status' | 'waitingFor'>): boolean {
  return status === 'pending' && waitingFor !== null
}

/** A delivery with its body and its attempts, oldest first. The store returns the newest attempt first. */
export function presentDetail({ payload, attempts, ...delivery }: FoundDelivery): DeliveryDetail {
  return {
    ...presentDelivery({ ...delivery, liveId: payload.liveId, attempts: attempts.length }),
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
