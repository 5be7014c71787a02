import { ElapsedTime } from '../lib/elapsed-time.ts'

/**
 * How long to wait before the next notification if nobody listens, or if the hub could not be reached. A reader that
 * connects during this wait gets its first events at most this much later.
 */
export const QUIET_MS = 100
/**
 * How many notifications one request sends at most, and for how long. The platform limits what a request does after its
 * response.
 */
export const PER_REQUEST_MAX = 20
export const PER_REQUEST_MAX_MS = 10_000
/**
 * If a notification takes longer than this, another request takes over, because the platform may have ended the request
 * that sends the notification.
 */
export const STUCK_AFTER_MS = 1000

export interface NotifierServices {
  /** @returns Whether anybody listens */
  notifyHub(): Promise<boolean>
  /** Continues work after the response. */
  defer(work: Promise<void>): void
  logFailure(error: unknown): void
  now(): Date
  wait(milliseconds: number): Promise<void>
}

/** A request that notifies the hub for all others of its isolate. */
interface Duty {
  /** When another request may take over, in milliseconds of the notifier's time. */
  expiresAt: number
}

/**
 * Notifies the hub for all requests of an isolate, so that a busy service does not call the hub for each write. One
 * request sends notifications, one after the other. All writes of other requests during a notification need only one
 * more notification.
 */
export class HubNotifier {
  readonly #services: NotifierServices
  readonly #time: ElapsedTime
  /** Whether something was written after the last notification began. */
  #hasNews = false
  #duty: Duty | undefined
  /** Whether the last notification failed. A failed notification is repeated once. */
  #hasFailed = false

  constructor(services: NotifierServices) {
    this.#services = services
    this.#time = new ElapsedTime(services.now)
  }

  /** Notifies the hub now or soon. The request does not wait for it. */
  notify(): void {
    this.#hasNews = true
    if (this.#duty && this.#time.milliseconds < this.#duty.expiresAt) return
    this.#services.defer(this.#notifyForAll())
  }

  async #notifyForAll(): Promise<void> {
    const duty = { expiresAt: 0 }
    this.#duty = duty
    const endsAt = this.#time.milliseconds + PER_REQUEST_MAX_MS
    try {
      // If another request has taken over, that request sends all further notifications.
      for (let count = 1; this.#hasNews && this.#duty === duty; count++) {
        duty.expiresAt = this.#time.milliseconds + STUCK_AFTER_MS
        const isLast = count === PER_REQUEST_MAX || this.#time.milliseconds >= endsAt
        // Released before the last notification, so that a write during this notification starts another request.
        if (isLast) this.#release(duty)
        if (!(await this.#notifyHub())) await this.#services.wait(QUIET_MS)
      }
    } finally {
      this.#release(duty)
    }
  }

  /** Lets another request take over. Does nothing if another request has already taken over. */
  #release(duty: Duty): void {
    if (this.#duty === duty) this.#duty = undefined
  }

  /** @returns Whether anybody listens; false if the hub cannot be reached */
  async #notifyHub(): Promise<boolean> {
    this.#hasNews = false
    try {
      const hasListeners = await this.#services.notifyHub()
      this.#hasFailed = false
      return hasListeners
    } catch (error) {
      this.#services.logFailure(error)
      if (!this.#hasFailed) this.#hasNews = true
      this.#hasFailed = true
      return false
    }
  }
}
