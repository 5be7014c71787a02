// Connections that the hub can cut (README.md): the object fetches the socket from itself.

/** The header with the key under which a response waits for the object's own request. */
const KEY_HEADER = 'x-own-socket'

/** Passes sockets through requests of an object to itself. */
export class OwnSockets {
  readonly #waiting = new Map<string, Response>()
  readonly #openSelf: () => Pick<Fetcher, 'fetch'>

  /** @param openSelf The object itself, as others call it */
  constructor(openSelf: () => Pick<Fetcher, 'fetch'>) {
    this.#openSelf = openSelf
  }

  /**
   * Makes the connection of a response with a WebSocket end when a signal is aborted.
   *
   * @returns The response for the client
   * @throws Error if the object cannot call itself
   */
  async pass(response: Response, signal: AbortSignal): Promise<Response> {
    const key = crypto.randomUUID()
    this.#waiting.set(key, response)
    try {
      // The object does not read the URL of its own request.
      return await this.#openSelf().fetch('https://hub.invalid/', {
        headers: { Upgrade: 'websocket', [KEY_HEADER]: key },
        signal,
      })
    } finally {
      this.#waiting.delete(key)
    }
  }

  /**
   * The response for a request of the object to itself; undefined for any other request, because nobody else has a key.
   */
  take({ headers }: Request): Response | undefined {
    const key = headers.get(KEY_HEADER)
    return key === null ? undefined : this.#waiting.get(key)
  }
}
