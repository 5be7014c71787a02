import type { ShownRequest, ShownResponse } from '../../src/design/shown-request.ts'
import { CallFailed, explainRefusal, type Progress, send, urlOf } from '../lib/api.ts'
import { authorization, loadSession } from '../lib/session.ts'
import { cut, type Exchanged, type Facts, type Inputs } from './state.ts'

/** What a step may use besides what earlier steps have found out. */
export interface Tools {
  /** The picture to upload. */
  file?: File
  /** Tells the person what the step is waiting for. */
  say(text: string): void
  onProgress: Progress
}

/** A call with a JSON body, or with none. */
interface Call {
  method: string
  path: string
  headers?: readonly (readonly [string, string])[]
  json?: object
}

/** One attempt at a step. It keeps every exchange, so that the page can show them. */
export class Run {
  readonly inputs: Inputs
  readonly facts: Facts
  readonly tools: Tools
  /** Whether the person has left the step. */
  isStopped = false
  #exchanges: Exchanged[] = []

  constructor(inputs: Inputs, facts: Facts, tools: Tools) {
    this.inputs = inputs
    this.facts = facts
    this.tools = tools
  }

  get exchanges(): readonly Exchanged[] {
    return this.#exchanges
  }

  /**
   * Makes a call.
   *
   * @param expected The statuses with which the step goes on
   * @throws CallFailed if the status is another one, or if there is no response
   */
  async call(call: Call, ...expected: number[]): Promise<ShownResponse> {
    return await this.send(toRequest(call), expected)
  }

  /** Makes a call as the user. */
  async callAsUser(call: Call, ...expected: number[]): Promise<ShownResponse> {
    return await this.call({ ...call, headers: [...(call.headers ?? []), ...userHeaders()] }, ...expected)
  }

  async send(request: ShownRequest, expected: readonly number[], file?: File): Promise<ShownResponse> {
    const response = await send(request, file, file && this.tools.onProgress)
    this.#exchanges.push({ request, response: cut(response) })
    if (expected.includes(response.status)) return response
    throw explain(response)
  }

  /** Forgets the latest exchange, because the next one is the same call again. */
  forgetLatest(): void {
    this.#exchanges.pop()
  }
}

/** The header of the signed-in user. If nobody is signed in, the service says what is missing. */
export function userHeaders(): (readonly [string, string])[] {
  const session = loadSession()
  return session ? [authorization(session)] : []
}

function toRequest({ method, path, headers = [], json }: Call): ShownRequest {
  const request = { method, url: urlOf(path) }
  if (!json) return { ...request, headers }
  return {
    ...request,
    headers: [...headers, ['Content-Type', 'application/json']],
    body: { text: JSON.stringify(json) },
  }
}

/** Why a step cannot go on after a response. */
export function explain(response: ShownResponse): CallFailed {
  if (response.status >= 400) return explainRefusal(response)
  const message = `The service responded with status ${response.status}, which this step does not expect.`
  return new CallFailed(message, 'Look at the response below.', response)
}

/** A header of a response; empty if it is absent. */
export function headerOf({ headers }: ShownResponse, name: string): string {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? ''
}
