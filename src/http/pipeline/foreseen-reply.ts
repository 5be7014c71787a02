import { type KeepReply, keepNothing } from '../../stores/kept-replies.ts'
import type { Reply } from './reply.ts'

// The reply to a request is kept for retries in the same batch that creates something (only-once.ts). So the reply must
// be known before the batch runs, although only the database knows the new ids. The reply contains marks in place of
// these ids, and the batch stores the ids beside the reply.

/**
 * Creates the reply to a request, as if the request had succeeded. `futureId` returns the mark for a new id. The marks
 * have the order of the ids that the batch stores.
 */
export type ForeseeReply = (futureId: () => number) => Reply

/** Prepares the statements that keep a reply. */
export type PrepareReply = (foresee: ForeseeReply) => Promise<KeepReply>

/** Keeps nothing, for a request without an Idempotency-Key. */
export const prepareNothing: PrepareReply = async () => keepNothing
