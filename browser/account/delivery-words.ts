import type { Delivery, DeliveryDetail } from '../../src/schemas/delivery.ts'

type State = Pick<Delivery, 'status' | 'nextAttemptAt' | 'waitingSince'>

/** The class of the badge of a status. */
export const TONES: Readonly<Record<Delivery['status'], string>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  cancelled: '',
}

const VERDICT_TONES = { right: 'good', wrong: 'bad' } as const

/**
 * The badge of a delivery: its word and its class. That of a test is about its verdict, because a receiver that is right
 * refuses many tests.
 */
export function badgeOf({ status, test }: Pick<Delivery, 'status' | 'test'>): { word: string; tone: string } {
  const verdict = test?.verdict
  return verdict ? { word: verdict, tone: VERDICT_TONES[verdict] } : { word: status, tone: TONES[status] }
}

/** @param format Writes a time for the person */
export function explainDelivery(
  delivery: State & Pick<DeliveryDetail, 'attempts'>,
  now: Date,
  format: (at: string) => string,
): string {
  switch (delivery.status) {
    case 'delivered':
      return 'The receiver accepted it.'
    case 'failed':
      return 'It was not accepted, and there will be no further attempt. Redeliver it once the receiver works.'
    case 'cancelled':
      return 'It is no longer wanted: the receiver returned 204 to an earlier call about this planet, or the subscription was stopped.'
    case 'pending':
      return [explainFailures(delivery), explainWait(delivery, now, format)].filter((text) => text !== '').join(' ')
  }
}

function explainFailures({ attempts }: Pick<DeliveryDetail, 'attempts'>): string {
  const last = attempts.at(-1)
  if (!last) return ''
  const count = attempts.length === 1 ? 'The first attempt failed' : `${attempts.length} attempts failed`
  if (last.status !== undefined) return `${count}: the receiver returned ${last.status}.`
  return `${count}: ${last.error ?? 'there was no response'}. Check that the receiver runs, and that it responds within 10 seconds.`
}

function explainWait({ nextAttemptAt, waitingSince }: State, now: Date, format: (at: string) => string): string {
  if (waitingSince) {
    return `It has been waiting since ${format(waitingSince)}, because its host has reached its limit of calls.`
  }
  if (!nextAttemptAt || new Date(nextAttemptAt) <= now) return 'An attempt is due now.'
  return `The next attempt is due at ${format(nextAttemptAt)}.`
}

// Deliveries are read often if an attempt is at most NEAR_MAX_MS away.
const NEAR_MAX_MS = 15_000
const NEAR_DELAY_MS = 2_000
const FAR_DELAY_MS = 15_000

/** How long to wait before deliveries are read again, in milliseconds; undefined if nothing will change. */
export function pollDelay(deliveries: readonly State[], now: Date): number | undefined {
  const pending = deliveries.filter(({ status }) => status === 'pending')
  if (pending.length === 0) return undefined
  const soon = now.getTime() + NEAR_MAX_MS
  const isNear = pending.some(({ nextAttemptAt }) => !nextAttemptAt || new Date(nextAttemptAt).getTime() <= soon)
  return isNear ? NEAR_DELAY_MS : FAR_DELAY_MS
}
