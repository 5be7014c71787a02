import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MIN_MS = 50
const POLL_MAX_MS = 500

/**
 * Tries something again and again until it has a result.
 *
 * @returns Undefined if it has none when the time is over
 */
export async function until<T>(find: () => Promise<T | undefined>, timeoutMs: number): Promise<T | undefined> {
  const deadline = Date.now() + timeoutMs
  for (let pause = POLL_MIN_MS; ; pause = Math.min(pause * 1.5, POLL_MAX_MS)) {
    const found = await find()
    if (found !== undefined || Date.now() > deadline) return found
    await sleep(pause)
  }
}
