import { ElapsedTime } from '../lib/elapsed-time.ts'

/**
 * How long to wait before the next notification if nobody listens. A reader that connects meanwhile gets its first events
 * at most so much later.
 */
const QUIET_MS = 100
/** How many notifications one request sends. The platform limits how much, and for how long, it may do after its response. */
export const PER_REQUEST_MAX = 20
/** After this time, the platform has probably ended the request that was sending a notification. */
export const STUCK_AFTER_MS = 5000

/** The services that the notifier uses. */
export interface NotifierServices {
  /** Notifies the hub. @returns Whether anybody listens */
  notifyHub(): Promise<boolean>
  /** Continues work after the response. */
  defer(work: Promise<void>): void
  logFailure(error: unknown): void
  now(): Date
  wait(milliseconds: number): Promise<void>
}

/**
 * Notifies the hub for all requests of an isolate, so that a busy service does not call the hub for each write. At any
 * time, one request sends notifications, one after the other. What other requests write meanwhile needs only one more.
 */
export class HubNotifier {
  readonly #services: NotifierServices
  readonly #time: ElapsedTime
  /** Whether something was written after the last notification began. */
  #hasNews = false
  /** Until when a request sends notifications for all others, in milliseconds of `#time`. */
  #takenUntil = 0

  constructor(services: NotifierServices) {
    this.#services = services
    this.#time = new ElapsedTime(services.now)
  }

  /** Notifies the hub now or soon. The request does not wait for it. */
  notify(): void {
    this.#hasNews = true
    if (this.#time.milliseconds >= this.#takenUntil) this.#services.defer(this.#tellNews())
  }

  async #tellNews(): Promise<void> {
    for (let left = PER_REQUEST_MAX; this.#hasNews; left--) {
      this.#hasNews = false
      const isLast = left === 1
      this.#takenUntil = isLast ? 0 : this.#time.milliseconds + STUCK_AFTER_MS
      const hasListeners = await this.#notifyHub()
      if (isLast) return
      if (!hasListeners) await this.#services.wait(QUIET_MS)
    }
    this.#takenUntil = 0
  }

  /** @returns Whether anybody listens; false if the hub cannot be reached */
  async #notifyHub(): Promise<boolean> {
    try {
      return await this.#services.notifyHub()
    } catch (error) {
      this.#services.logFailure(error)
      return false
    }
  }
}
