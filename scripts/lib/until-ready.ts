const POLL_MS = 50

/**
 * Waits until the service answers.
 *
 * @param stateFolder Where its database is
 * @throws Error if its first response is a failure
 */
export async function untilReady(baseUrl: string, stateFolder: string): Promise<void> {
  // A service with a seed makes the same ids at each start. This request brings its own id, so that the first request
  // of the user gets the first of them.
  const headers = { 'X-Request-ID': crypto.randomUUID() }
  for (;;) {
    const response = await fetch(`${baseUrl}/planets?limit=1`, { headers }).catch(() => undefined)
    if (response?.ok) return
    if (response) {
      const advice = `If the database is damaged, delete ${stateFolder} (this deletes all stored data) and start again.`
      throw new Error(`The service returned ${response.status} to its first request. ${advice}`)
    }
    await new Promise((done) => setTimeout(done, POLL_MS))
  }
}
