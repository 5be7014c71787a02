import type { ObservationBatch } from '../../schemas/observation.ts'
import type { StoredBatch } from '../../stores/observations.ts'

/** The headers of a response about a batch that is not completed. */
export const RETRY_AFTER = { 'Retry-After': '1' } as const

export function presentBatch(batch: StoredBatch): ObservationBatch {
  const { id, planetId, observer, observedAt, accepted, observations, createdAt, completedAt } = batch
  return {
    batchId: id,
    planetId,
    observer,
    ...(observedAt !== null && { observedAt }),
    status: statusOf(batch),
    accepted,
    observations: observations ?? [],
    createdAt: createdAt.toISOString(),
    ...(completedAt && { completedAt: completedAt.toISOString() }),
  }
}

/** A batch whose worker has died is still in process: another one will begin again. */
function statusOf({ completedAt, leasedUntil }: StoredBatch): ObservationBatch['status'] {
  if (completedAt) return 'completed'
  return leasedUntil ? 'processing' : 'accepted'
}
