import { commit } from '../../changes/commit.ts'
import { enqueue } from '../../changes/enqueue.ts'
import { openSession, type Session } from '../../db/port.ts'
import type { MeasuredImage, Observation } from '../../schemas/observation.ts'
import type { Services } from '../../services.ts'
import { completeBatch, leaseBatch, listUnfinished } from '../../stores/observations.ts'

// The work on batches: a message of the queue begins it, or the sweep if the message was lost.

/** Longer than the work can take. If a worker dies, another one begins again after this time. */
const LEASE_MS = 10_000
/** The sweep ignores younger batches, because their messages are probably still in the queue. */
const GRACE_MS = 10_000
const BATCHES_PER_SWEEP = 100

/** Queues the work on a new batch. If the message is lost, the sweep finds the batch. */
export function beginWork(batchId: string, services: Services): void {
  enqueue(services, [{ observations: batchId }])
}

/**
 * Works on a batch, unless another worker has it, or it is completed or deleted. So a message may come twice.
 *
 * @throws An error only if the database cannot be reached. The lease then ends, and the sweep finds the batch again
 */
export async function workOnBatch(batchId: string, services: Services): Promise<void> {
  const session = openSession(services, 'first-primary')
  const batch = await leaseBatch(session, batchId, services.now(), LEASE_MS)
  if (!batch) return
  const now = services.now()
  await commit(
    { session, services, now },
    { statements: [completeBatch(batch, (batch.images ?? []).map(compareTypes), now)] },
  )
}

/** Compares what an image is with what its part has declared. */
function compareTypes(image: MeasuredImage, index: number): Observation {
  const { declaredType, mediaType } = image
  const observation = { position: index + 1, ...image }
  if (mediaType === declaredType) return observation
  const fault =
    mediaType === undefined
      ? 'The content is no supported image.'
      : `The content is ${mediaType}, and not ${declaredType} as declared.`
  return { ...observation, fault }
}

/** Lists batches whose message was lost, or whose worker has died. */
export async function listLostBatches(session: Session, now: Date): Promise<string[]> {
  return await listUnfinished(session.db, new Date(now.getTime() - GRACE_MS), now, BATCHES_PER_SWEEP)
}
