import { env } from 'cloudflare:workers'
import { handleMessage } from '../../src/features/callbacks/consumer.ts'
import type { QueueMessage } from '../../src/schemas/queue-message.ts'
import type { Client } from './app.ts'

// A queue and a network that the test controls.

/** Messages that were sent, with their delays, until they are taken. */
export class HeldQueue implements Queue<QueueMessage> {
  readonly held: { message: QueueMessage; delaySeconds: number }[] = []
  /** The number of messages in each call. */
  readonly batches: number[] = []

  async send(message: QueueMessage, { delaySeconds = 0 }: QueueSendOptions = {}): Promise<QueueSendResponse> {
    this.held.push({ message, delaySeconds })
    return RESPONSE
  }

  async sendBatch(messages: Iterable<MessageSendRequest<QueueMessage>>): Promise<QueueSendBatchResponse> {
    const sent = [...messages].map(({ body, delaySeconds = 0 }) => ({ message: body, delaySeconds }))
    if (sent.length > BATCH_MAX) throw new Error(`the platform takes ${BATCH_MAX} messages at once`)
    this.batches.push(sent.length)
    this.held.push(...sent)
    return RESPONSE
  }

  async metrics(): Promise<QueueMetrics> {
    return METRICS
  }
}

/** The maximum number of messages that the platform accepts in one call. */
const BATCH_MAX = 100
const METRICS = { backlogCount: 0, backlogBytes: 0 }
const RESPONSE = { metadata: { metrics: METRICS } }

/** Runs the consumer on the messages without a delay, in the order of arrival, until none is left. */
export async function drain({ services }: Client): Promise<void> {
  const { callbackQueue } = services
  if (!(callbackQueue instanceof HeldQueue)) throw new Error('this client has another queue')
  for (;;) {
    const index = callbackQueue.held.findIndex(({ delaySeconds }) => delaySeconds === 0)
    const [taken] = index < 0 ? [] : callbackQueue.held.splice(index, 1)
    if (!taken) return
    await handleMessage(taken.message, services)
  }
}

/** A call that a receiver got. */
export interface Call {
  url: string
  method: string
  headers: Headers
  body: string
  /** How the call treats a redirect. */
  redirect: string
}

/** A network that answers every call as the test says, and records it. */
export class FakeNetwork {
  readonly calls: Call[] = []
  answer: (call: Call, signal: AbortSignal | undefined) => Response | Promise<Response>

  constructor(answer: FakeNetwork['answer'] = () => new Response('Thank you')) {
    this.answer = answer
  }

  /** The calls to one URL, in the order of their arrival. */
  to(url: string): Call[] {
    return this.calls.filter((call) => call.url === url)
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const { url, method, headers } = request
    const body = new TextDecoder().decode(await request.arrayBuffer())
    const call = { url, method, headers, body, redirect: request.redirect }
    this.calls.push(call)
    return await this.answer(call, init?.signal ?? undefined)
  }
}

/** The default for tests that are not about calls. No call leaves the machine. */
export const noNetwork: typeof fetch = async (input) => {
  throw new Error(`a test called ${new Request(input).url}`)
}

/** A row of the database. */
export async function rowOf<Row>(query: string, ...values: (string | number)[]): Promise<Row | null> {
  return await env.DB.prepare(query)
    .bind(...values)
    .first<Row>()
}

/** The throttle of a service whose calls are not limited. */
export const atOnce = async (_url: string, call: () => Promise<Response>): Promise<Response> => await call()
