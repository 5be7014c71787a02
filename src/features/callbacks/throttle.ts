import { enqueue } from '../../changes/enqueue.ts'
import type { Session } from '../../db/port.ts'
import { INSIDE_SERVICE, MustWait } from '../../domain/target-host.ts'
import type { Services } from '../../services.ts'
import {
  callKey,
  giveBackSlot,
  type Line,
  type Slot,
  takeSlotFor,
  tokenKey,
} from '../../stores/callbacks/call-targets.ts'
import type { LeasedDelivery } from '../../stores/callbacks/leases.ts'
import { callHostOf } from './call-host.ts'

/** @throws MustWait if the limits of its host do not allow the call, and any error of the call */
export type Throttle = (url: string, call: () => Promise<Response>) => Promise<Response>

/**
 * Creates the throttle for the calls that a delivery needs before the receiver is called: discovery of the token
 * endpoint, and the token request.
 */
export function throttleFor(session: Session, delivery: LeasedDelivery, leaseMs: number, services: Services): Throttle {
  return async (url, call) => {
    const { targetLimits: limits } = services.config
    if (!limits) return await call()
    const host = await callHostOf(url, delivery, services)
    if (host === INSIDE_SERVICE) return await call()
    const slot = slotAt(host, delivery, services.now(), leaseMs)
    if (!(await takeSlotFor(session, slot, delivery, limits))) throw new MustWait(host)
    // A call to the host of the delivery uses the slot of the delivery, which is given back after the attempt.
    if (slot.key === callKey(delivery.id)) return await call()
    let isAccepted = false
    try {
      const response = await call()
      isAccepted = response.ok
      return response
    } finally {
      const outcome = { isCounted: true, isAccepted }
      queueFirstInLine(services, await giveBackSlot(session, slot, outcome, limits, services.now()))
    }
  }
}

/** The calls for a delivery are made one after another, so those to its own host share one slot. */
function slotAt(host: string, { id, host: ownHost, leasedUntil }: LeasedDelivery, now: Date, leaseMs: number): Slot {
  if (host === ownHost) return { host, key: callKey(id), takenAt: now, until: leasedUntil }
  return { host, key: tokenKey(id), takenAt: now, until: new Date(now.getTime() + leaseMs) }
}

/**
 * Added to the delay of a message, because clocks differ. If a message arrived before its delivery is due, it would
 * have no effect, and the delivery would have to wait for the sweep.
 */
export const CLOCK_SKEW_SECONDS = 1

/**
 * Queues the first delivery in a line (the deliveries that wait for a slot at a host). If there is room for its call,
 * it is queued immediately. If all calls of this minute are used up, it is queued for the end of the minute. If only
 * the maximum number of concurrent calls is reached, nothing is queued here, because the end of each call queues the
 * first delivery again.
 */
export function queueFirstInLine(services: Services, line: Line | undefined): void {
  if (!line || line.first === null) return
  if (line.isBusy && line.fullUntil === null) return
  const delaySeconds = line.fullUntil === null ? 0 : secondsUntil(line.fullUntil, services.now())
  enqueue(services, [{ delivery: line.first }], delaySeconds)
}

/** The delay of a message that must not arrive before a time. It is at least 0. */
function secondsUntil(time: number, now: Date): number {
  return Math.max(Math.ceil((time - now.getTime()) / 1000) + CLOCK_SKEW_SECONDS, 0)
}
