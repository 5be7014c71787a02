import { randomUUID } from 'node:crypto'
import type { Members } from './answer.ts'
import { Failure } from './failure.ts'
import { until } from './until.ts'
import type { World } from './world.ts'

/** How long a call may take. A queue delivers its messages within seconds. */
const CALL_TIMEOUT_MS = 30_000

/** A call that the inbox has received. */
export interface Call {
  method: string
  path: string
  headers: Headers
  body: string
  signatures: { xSignature: string; webhookSignature: string }
}

/** A URL in the inbox, and the calls to this URL and to paths below it. */
export interface Receiver {
  url: string
  /**
   * Waits for a call.
   *
   * @throws Failure if no such call arrives within 30 seconds
   */
  expectCall(what: string, isMeant?: (call: Call) => boolean): Promise<Call>
  /** The calls that have arrived so far. */
  calls(): Promise<Call[]>
}

/** An inbox of the service. It receives calls, so that the checks need no server of their own. */
export interface Inbox {
  /** Makes a receiver with a URL of its own. */
  receiver(): Receiver
}

/** @param response How the inbox answers calls */
export async function makeInbox(world: World, response: object = {}): Promise<Inbox> {
  const answer = await world.post('/inboxes', { json: response })
  const { id, url } = answer.expectStatus(201).json()
  const calls = async () => (await readCalls(world, id)).map(toCall)
  return { receiver: () => receiverAt(url, randomUUID(), calls) }
}

/** All that the inbox keeps: 100 at most. */
async function readCalls(world: World, id: string): Promise<Members[]> {
  const answer = await world.get(`/inboxes/${id}?limit=100`)
  return answer.expectStatus(200).json().data
}

function toCall({ headers, ...call }: Members): Call {
  const entries = headers.map(({ name, value }: { name: string; value: string }) => [name, value])
  return { ...(call as Call), headers: new Headers(entries) }
}

function receiverAt(inboxUrl: string, id: string, readAll: () => Promise<Call[]>): Receiver {
  const url = `${inboxUrl}/${id}`
  const calls = async () => (await readAll()).filter(({ path }) => path.includes(id))
  return {
    url,
    calls,
    async expectCall(what, isMeant = () => true) {
      const call = await until(async () => (await calls()).find(isMeant), CALL_TIMEOUT_MS)
      if (call) return call
      throw new Failure(`${what} at ${url}`, `no such call within ${CALL_TIMEOUT_MS / 1000} seconds`)
    },
  }
}
