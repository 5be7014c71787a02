import { testOf } from '../../domain/receiver-tests.ts'
import { writeTestBody } from '../../domain/test-body.ts'
import type { Delivery, DeliveryDetail, DeliveryTest } from '../../schemas/delivery.ts'
import type { FoundDelivery, StoredDelivery } from '../../stores/callbacks/delivery-log.ts'

/** The columns of a delivery from which its representation is made. */
type ShownDelivery = Pick<
  StoredDelivery,
  | 'id'
  | 'messageId'
  | 'event'
  | 'liveId'
  | 'status'
  | 'planetId'
  | 'webhookId'
  | 'url'
  | 'createdAt'
  | 'nextAttemptAt'
  | 'waitingFor'
  | 'waitingSince'
  | 'endedAt'
  | 'attempts'
  | 'test'
>
type DetailedDelivery = Omit<ShownDelivery, 'liveId' | 'attempts'> & Pick<FoundDelivery, 'payload' | 'attempts'>

/** A delivery as the list shows it. */
export function presentDelivery(delivery: ShownDelivery): Delivery {
  const { id, messageId, event, liveId, status, planetId, webhookId, url, createdAt } = delivery
  const { nextAttemptAt, waitingSince, endedAt, test } = delivery
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
    ...(test && { test: presentTest(test) }),
    attempts: delivery.attempts,
  }
}

function presentTest({ defect, verdict, reason }: NonNullable<StoredDelivery['test']>): DeliveryTest {
  return { defect, expected: testOf(defect).expected, verdict, reason }
}

/**
 * Whether a delivery waits for its turn in the line of its host. `waitingSince` alone does not say so, because it stays
 * set during the attempt that follows.
 */
function isWaiting({ status, waitingFor }: Pick<StoredDelivery, 'status' | 'waitingFor'>): boolean {
  return status === 'pending' && waitingFor !== null
}

/** A delivery with its body and its attempts, oldest first. The store returns the newest attempt first. */
export function presentDetail({ payload, attempts, ...delivery }: DetailedDelivery): DeliveryDetail {
  return {
    ...presentDelivery({ ...delivery, liveId: payload.liveId, attempts: attempts.length }),
    body: delivery.test ? writeTestBody(delivery.test.defect, payload.body) : payload.body,
    attempts: attempts.toReversed().map(({ startedAt, durationMs, status, error, response }) => ({
      startedAt: startedAt.toISOString(),
      durationMs,
      ...(status !== null && { status }),
      ...(error !== null && { error }),
      ...(response !== null && { response }),
    })),
  }
}
