const POLL_MS = 50

/**
 * Waits until the service answers.
 *
 * @param stateFolder Where its database is
 * @throws Error if its first response is a failure
 */
export async function untilReady(baseUrl: string, stateFolder: string): Promise<void> {
  // It sends a request id, so that a service with a seed uses its first id for the first request of its user.
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
