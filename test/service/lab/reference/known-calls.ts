import type { Message } from './client.ts'
import type { Result } from './run.ts'

/** A response that can be read again. */
interface Kept {
  status: number
  headers: [string, string][]
  body: Uint8Array<ArrayBuffer>
}

/** What a client has sent to a case. */
interface CaseCall {
  /** Identifies all of it. */
  key: string
  messages: Message[]
  /** Whether nobody has sent the same before. */
  isNew: boolean
}

type Send = (message: Message) => Promise<Response>

const RUN = /\/lab\/runs\/[^/]+/
const CASE = /\/lab\/runs\/[^/]+\/([^/]+\/[^/]+)/

/** Retries are judged by their times. */
const isRetry = (id: string) => id.startsWith('retry/')

/** What a request is but for the run, and for its key, which is random. */
function describe({ method, url, headers, body }: Message): string {
  const { 'Idempotency-Key': _, ...compared } = headers
  const target = url.href.slice(url.href.search(CASE)).replace(RUN, '')
  return JSON.stringify([method, target, compared, body && Buffer.from(body).toString('latin1')])
}

/**
 * The requests to a bench with their answers and verdicts. Broken clients differ from one another in a few cases: what
 * one has sent is not sent again by the next, because the verdict on the same bytes is the same.
 */
export class KnownCalls {
  readonly #answers = new Map<string, Kept>()
  readonly #results = new Map<string, Result>()

  /** The calls of one client. */
  ofClient(): ClientCalls {
    return new ClientCalls(this.#answers, this.#results)
  }
}

export class ClientCalls {
  readonly #answers: Map<string, Kept>
  readonly #results: Map<string, Result>
  readonly #cases = new Map<string, CaseCall>()

  constructor(answers: Map<string, Kept>, results: Map<string, Result>) {
    this.#answers = answers
    this.#results = results
  }

  /** Sends a request, unless the answer is known. Then what came before it in its case is sent first. */
  async send(message: Message, send: Send): Promise<Response> {
    const [, id = ''] = CASE.exec(message.url.pathname) ?? []
    const [run = ''] = RUN.exec(message.url.pathname) ?? []
    if (isRetry(id)) return await send(message)
    const call = this.#cases.get(id) ?? { key: id, messages: [], isNew: false }
    this.#cases.set(id, call)
    call.key += describe(message)
    const { key, isNew, messages } = call
    const known = this.#answers.get(key)
    const earlier = messages.slice()
    messages.push(message)
    if (known && !isNew) return respond(known, run)
    call.isNew = true
    if (!isNew) for (const one of earlier) await (await send(one)).body?.cancel()
    const kept = await read(await send(message))
    this.#answers.set(key, kept)
    return respond(kept, run)
  }

  /** Sends what nobody has ended with before, though each of its requests is known. */
  async sendRest(send: Send): Promise<void> {
    const rest = [...this.#cases.values()].filter(({ key, isNew }) => !isNew && !this.#results.has(key))
    for (const call of rest) {
      call.isNew = true
      for (const message of call.messages) await (await send(message)).body?.cancel()
    }
  }

  /** @param results What the run says @returns What it would say if all had been sent */
  complete(results: readonly Result[]): Result[] {
    const known = [...this.#cases].flatMap(([id, { key, isNew }]) => {
      if (!isNew) return this.#results.get(key) ?? []
      const result = results.find((one) => one.case === id)
      if (result) this.#results.set(key, result)
      return []
    })
    return [...results, ...known]
  }
}

async function read(response: Response): Promise<Kept> {
  return { status: response.status, headers: [...response.headers], body: await response.bytes() }
}

/** @param run The path of the run, to which a redirect leads */
function respond({ status, headers, body }: Kept, run: string): Response {
  const own = headers.map(([name, value]): [string, string] => [name, value.replace(RUN, run)])
  return new Response(status === 204 ? null : body, { status, headers: own })
}
