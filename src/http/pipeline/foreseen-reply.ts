import { type KeepReply, keepNothing } from '../../stores/kept-replies.ts'
import type { Reply } from './reply.ts'

// The reply to a request is kept for retries in the batch of what the request creates (only-once.ts). So it must be known
// before the batch runs. Ids that only the database knows are marks in it, and the batch stores them beside it.

/** Creates the reply to a request that will succeed. Each call of `futureId` stands for the next id in the list of ids. */
export type ForeseeReply = (futureId: () => number) => Reply

/** Prepares the statements that keep a reply. */
export type PrepareReply = (foresee: ForeseeReply) => Promise<KeepReply>

/** Keeps nothing, for a request without a key. */
export const prepareNothing: PrepareReply = async () => keepNothing
