import { enqueue } from '../../schemas/callback-message.ts'
import type { Services } from '../../services.ts'
import type { Line } from '../../stores/callbacks/call-targets.ts'

/** A message that came too early for the clock here would have to wait for the sweep. */
export const CLOCK_SKEW_SECONDS = 1

/**
 * Queues the first delivery in a line: at once if there is room for its call, for the end of the minute if the calls of
 * this one are used up. If as many calls are under way as there may be, the end of one of them calls it.
 */
export function callUp(services: Services, line: Line | undefined): void {
  if (!line || line.first === null) return
  if (line.isBusy && line.fullUntil === null) return
  const waitMs = line.fullUntil === null ? 0 : line.fullUntil - services.now().getTime()
  const delaySeconds = line.fullUntil === null ? 0 : Math.ceil(waitMs / 1000) + CLOCK_SKEW_SECONDS
  enqueue(services, [{ delivery: line.first }], Math.max(delaySeconds, 0))
}
