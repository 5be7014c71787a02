import type { PlanetStreamItem } from '../../src/schemas/live/stream-item.ts'
import { urlOf } from '../lib/base.ts'
import { Store } from './store.ts'

/** `lost`: the connection has broken, and is being restored. */
export type StreamState = 'off' | 'connecting' | 'open' | 'lost'

/** Every kind of item. With an object, the type checker finds a missing one. */
const EVENTS: Readonly<Record<PlanetStreamItem['event'], true>> = {
  created: true,
  updated: true,
  deleted: true,
  exploded: true,
}

/** How long to wait after a refusal, at first and at most. */
const RETRY_MS = 2_000
const RETRY_MAX_MS = 60_000

/**
 * The stream of events of planets (`GET /planets/events`). After any end of the connection, it continues after the last
 * item that it has. It listens only while the tab is visible: over HTTP/1.1, a browser has six connections to a host
 * for all its tabs, and a stream keeps one.
 */
export class PlanetStream {
  readonly state = new Store<StreamState>('off')
  readonly #onItem: (item: PlanetStreamItem) => void
  readonly #onGap: () => void
  #isWanted = false
  #source: EventSource | undefined
  #lastEventId = ''
  #failures = 0
  #waiting: ReturnType<typeof setTimeout> | undefined

  /** @param onGap Called if events since the last item are no longer in the log of the service */
  constructor(onItem: (item: PlanetStreamItem) => void, onGap: () => void) {
    this.#onItem = onItem
    this.#onGap = onGap
    document.addEventListener('visibilitychange', () => this.#adjustConnection())
  }

  start(): void {
    this.#isWanted = true
    this.state.set('connecting')
    this.#adjustConnection()
  }

  stop(): void {
    this.#isWanted = false
    this.state.set('off')
    this.#adjustConnection()
  }

  /** Closes the connection, and opens a new one if the page should listen now. */
  #adjustConnection(): void {
    clearTimeout(this.#waiting)
    this.#source?.close()
    this.#source = this.#isWanted && !document.hidden ? this.#open() : undefined
  }

  #open(): EventSource {
    const query = this.#lastEventId === '' ? '' : `?${new URLSearchParams({ lastEventId: this.#lastEventId })}`
    const source = new EventSource(urlOf('/planets/events') + query)
    source.onopen = () => {
      this.#failures = 0
      this.state.set('open')
    }
    source.onerror = () => this.#lose(source)
    source.addEventListener('gap', () => this.#onGap())
    for (const event of Object.keys(EVENTS)) {
      source.addEventListener(event, ({ lastEventId, data }: MessageEvent<string>) => {
        this.#lastEventId = lastEventId
        this.#onItem(JSON.parse(data))
      })
    }
    return source
  }

  /** After a break, the browser connects again by itself. After a refusal, it does not, so the page connects again. */
  #lose(source: EventSource): void {
    this.state.set('lost')
    if (source.readyState !== EventSource.CLOSED) return
    const wait = Math.min(RETRY_MS * 2 ** this.#failures++, RETRY_MAX_MS)
    this.#waiting = setTimeout(() => this.#adjustConnection(), wait)
  }
}
