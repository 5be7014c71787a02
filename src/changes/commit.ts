import { CredentialEnded, isRejected } from '../db/constraints.ts'
import { type Query, type Results, type Session, writeParts } from '../db/port.ts'
import { ProblemError } from '../domain/problems.ts'
import type { Reply } from '../domain/reply.ts'
import type { AccountLimits } from '../env.ts'
import { rootCause } from '../lib/root-cause.ts'
import type { Change } from './change.ts'
import { enqueue, type QueueServices } from './enqueue.ts'
import { type Claim, completeClaim } from './kept-replies.ts'
import { firstEventId, insertRow, makeRow } from './log.ts'
import { insertAnnouncement, insertCalledEvent, insertDelivery, makeDelivery } from './outbox.ts'
import { checkRequirements, findUnmet, LostRace } from './requirements.ts'
import { chargeAccount, explainLimit } from './usage.ts'

// The only door for what requests write: one batch, always in the same order, and then what follows from it.

/** Keeps the reply to a request for retries with its Idempotency-Key. */
export interface ReplyKeeper {
  claim: Claim
  /** Writes the reply as the caller gets it, and encrypts it. */
  seal(reply: Reply): Promise<string>
}

/** Who writes: a request, the consumer of the queue, or the sweep. */
export interface Writer {
  session: Session
  services: QueueServices & { config: { accountLimits: AccountLimits } }
  /** Undefined if the request has no Idempotency-Key. */
  replyKeeper?: ReplyKeeper | undefined
  now: Date
}

export interface Committed<Statements extends readonly Query[]> {
  results: Results<Statements>
  /** The id of the delivery; undefined if the change has no call, or its receiver wants none. */
  deliveryId: number | undefined
}

/**
 * Writes a change, all of it or nothing. One round trip. The order of the batch is: the credential is still valid, the
 * requirements, the charge, the row of the log, the callbacks, the statements, the kept reply. The statements come after
 * the charge, because some of them change the usage by triggers. Afterwards, the readers of the log are told, and
 * messages about the callbacks are queued.
 *
 * @throws The error of a requirement that does not hold; ProblemError 403 if a limit of the account is reached, 503 if
 * an id is used; CredentialEnded
 */
export async function commit<const Statements extends readonly Query[]>(
  { session, services, replyKeeper, now }: Writer,
  change: Change<Statements>,
): Promise<Committed<Statements>> {
  const { ids, requires = [], statements, calls, reply } = change
  // A call charges its delivery.
  const charge = change.charge ?? (calls && { userId: calls.receiver.userId })
  const { accountLimits } = services.config
  const { row, announcement, call } = describe(change, now)
  const sealed = reply && (await replyKeeper?.seal(reply))
  const refill = ids?.refill()
  try {
    const results = await writeParts(session, {
      requirements: requires.length > 0 ? [checkRequirements(requires)] : [],
      charge: charge ? [chargeAccount(charge, call, accountLimits)] : [],
      log: row ? [insertRow(row)] : [],
      announcement: announcement ? [insertAnnouncement(announcement)] : [],
      calledEvent: call ? [insertCalledEvent(call)] : [],
      delivery: call ? [insertDelivery(call)] : [],
      statements,
      reply: replyKeeper && sealed !== undefined ? [completeClaim(replyKeeper.claim, sealed, now)] : [],
      refill: refill?.statements ?? [],
    })
    refill?.settle(results.refill)
    enqueue(services, [...results.delivery, ...results.announcement].flat())
    return { results: results.statements, deliveryId: results.delivery[0]?.[0]?.delivery }
  } catch (error) {
    refill?.settle()
    if (ids?.forgetUsed(error)) throw idsWereUsed()
    // After any other error, the batch may have been written.
    if (isRolledBack(error)) ids?.giveBack()
    throw (
      findUnmet(error, requires)?.otherwise ?? (await explainLimit(session.db, error, charge?.userId, accountLimits))
    )
  }
}

/** The error once after the operator has put an earlier state of the database back. */
function idsWereUsed(): ProblemError {
  const headers = { 'Retry-After': '1' }
  return new ProblemError('service-unavailable', 'Another row has this id. Send the request again.', { headers })
}

/** The row of the log for a change, and the events for callbacks. Undefined if the change has none. */
function describe({ happened, announces, calls }: Change, now: Date) {
  const row = happened && makeRow(happened, { ...happened, now })
  const time = now.getTime()
  const planetId = row?.planetId ?? null
  const body = calls?.body ?? row?.body
  if ((announces || calls) && body === undefined) throw new Error('a change calls receivers, but nothing has happened')
  const event = { planetId, body: body ?? '', liveId: row ? firstEventId(row) : null, time }
  return {
    row,
    announcement: announces && { ...event, type: announces },
    call: calls && {
      ...event,
      type: calls.type,
      ...makeDelivery(calls.type, calls.receiver),
    },
  }
}

/** Whether an error of a batch or of `commit` says that nothing is written. After any other error, it may be. */
export function isRolledBack(error: unknown): boolean {
  const cause = rootCause(error)
  const isOurs = [CredentialEnded, ProblemError, LostRace].some((kind) => cause instanceof kind)
  return isOurs || isRejected(error)
}
