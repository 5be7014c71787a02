const POLL_MS = 50

/** A start takes seconds, on a busy machine tens of them. Whoever waits longer waits for nothing. */
const READY_SECONDS = 120

/**
 * Waits until the service answers.
 *
 * @param stateFolder Where its database is
 * @param seconds How long it has for its first response
 * @throws Error if its first response is a failure, or does not come
 */
export async function untilReady(baseUrl: string, stateFolder: string, seconds = READY_SECONDS): Promise<void> {
  // A service with a seed makes the same ids at each start. This request brings its own id, so that the first request
  // of the user gets the first of them.
  const headers = { 'X-Request-ID': crypto.randomUUID() }
  const signal = AbortSignal.timeout(seconds * 1000)
  while (!signal.aborted) {
    const response = await fetch(`${baseUrl}/planets?limit=1`, { headers, signal }).catch(() => undefined)
    if (response?.ok) return
    if (response) {
      const advice = `If the database is damaged, delete ${stateFolder} (this deletes all stored data) and start again.`
      throw new Error(`The service returned ${response.status} to its first request. ${advice}`)
    }
    await new Promise((done) => setTimeout(done, POLL_MS))
  }
  throw new Error(`The service has not answered at ${baseUrl} within ${seconds} seconds.`)
}
