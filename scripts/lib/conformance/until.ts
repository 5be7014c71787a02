import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MIN_MS = 50
const POLL_MAX_MS = 500
/** Each pause is longer than the one before by this factor, up to the maximum. */
const POLL_GROWTH = 1.5

/**
 * Calls a function again and again until it returns something.
 *
 * @returns What it returned; undefined if it returned nothing in time
 */
export async function until<T>(find: () => Promise<T | undefined>, timeoutMs: number): Promise<T | undefined> {
  const deadline = Date.now() + timeoutMs
  for (let pause = POLL_MIN_MS; ; pause = Math.min(pause * POLL_GROWTH, POLL_MAX_MS)) {
    const found = await find()
    if (found !== undefined || Date.now() > deadline) return found
    await sleep(pause)
  }
}
