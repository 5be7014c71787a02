import { handleMessage } from '../../src/features/callbacks/consumer.ts'
import type { QueueMessage } from '../../src/schemas/queue-message.ts'
import type { Services } from '../../src/services.ts'
import { type Call, HeldQueue } from './callbacks.ts'

// Simulates how the platform runs the consumer of the queue. Several invocations run at the same time, and each message
// is handed out when its delay has passed on the clock of the test.

interface Sent {
  message: QueueMessage
  /** Milliseconds since 1970. */
  at: number
}

/** A queue that hands out messages when they are due. */
export class TimedQueue extends HeldQueue {
  #sent: Sent[] = []
  readonly #now: () => Date

  constructor(now: () => Date) {
    super()
    this.#now = now
  }

  override async sendBatch(messages: Parameters<HeldQueue['sendBatch']>[0]): Promise<QueueSendBatchResponse> {
    const sent = [...messages]
    const time = this.#now().getTime()
    this.#sent.push(...sent.map(({ body, delaySeconds = 0 }) => ({ message: body, at: time + delaySeconds * 1000 })))
    return await super.sendBatch(sent)
  }

  /** The due messages. */
  takeDue(): QueueMessage[] {
    const isDue = ({ at }: Sent) => at <= this.#now().getTime()
    const due = this.#sent.filter(isDue)
    this.#sent = this.#sent.filter((sent) => !isDue(sent))
    return due.map(({ message }) => message)
  }

  /** Loses all messages, like a machine that crashes together with its queue. */
  lose(): void {
    this.#sent = []
  }
}

/** A network whose receivers respond when the test says so. */
export class SlowNetwork {
  readonly calls: Call[] = []
  /** The maximum number of simultaneous calls. */
  peak = 0
  #waiting: { call: Call; answer: (response: Response) => void }[] = []

  get waiting(): number {
    return this.#waiting.length
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const { url, method, headers } = request
    const body = new TextDecoder().decode(await request.arrayBuffer())
    const call = { url, method, headers, body, redirect: request.redirect }
    this.calls.push(call)
    return await new Promise<Response>((answer) => {
      this.#waiting.push({ call, answer })
      this.peak = Math.max(this.peak, this.#waiting.length)
    })
  }

  /** Responds to the calls in progress. */
  answer(answerOf: (call: Call) => Response): void {
    for (const { call, answer } of this.#waiting.splice(0)) answer(answerOf(call))
  }
}

/** Runs the consumer of a service. */
export class Platform {
  readonly #services: Services
  readonly #queue: TimedQueue
  readonly #network: SlowNetwork
  #running = 0

  constructor(services: Services, queue: TimedQueue, network: SlowNetwork) {
    this.#services = services
    this.#queue = queue
    this.#network = network
  }

  /** Handles what is due, until everything that still runs waits for a receiver. */
  async settle(): Promise<void> {
    for (;;) {
      const due = this.#queue.takeDue()
      for (const message of due) void this.#handle(message)
      if (due.length === 0 && this.#running === this.#network.waiting) return
      await scheduler.wait(1)
    }
  }

  /** The same, with receivers that respond at once. */
  async finish(answerOf: (call: Call) => Response = () => new Response('Thank you')): Promise<void> {
    for (;;) {
      await this.settle()
      if (this.#network.waiting === 0) return
      this.#network.answer(answerOf)
    }
  }

  async #handle(message: QueueMessage): Promise<void> {
    this.#running++
    await handleMessage(message, this.#services)
    this.#running--
  }
}
