import type { ShownRequest, ShownResponse } from '../../src/design/shown-request.ts'
import { CallFailed, explainRefusal, type Progress, send } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
import { authorization, loadSession } from '../lib/session.ts'
import { type Exchanged, type Facts, type Inputs, isSuggested, shortenResponse } from './state.ts'

/** What the page gives to a step besides what the person has typed and the findings of earlier steps. */
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

/** The text that replaces a typed password on the page. */
const HIDDEN_PASSWORD = '<your password>'

/** One attempt at a step. It keeps every exchange, so that the page can show them. */
export class Run {
  readonly inputs: Inputs
  readonly facts: Facts
  readonly tools: Tools
  readonly #end = new AbortController()
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
   * @param expected The statuses with which the step goes on
   * @throws CallFailed if the status is another one, or if there is no response
   */
  async call(call: Call, ...expected: number[]): Promise<ShownResponse> {
    return await this.send(toRequest(call), expected)
  }

  /** Sends the credentials that the person has chosen. The page keeps and shows only the password that it suggested. */
  async callWithCredentials(path: string, expected: number): Promise<ShownResponse> {
    const { email, password } = this.inputs
    const requestWith = (password: string) => toRequest({ method: 'POST', path, json: { email, password } })
    const shown = requestWith(isSuggested(this.inputs) ? password : HIDDEN_PASSWORD)
    return await this.send(requestWith(password), [expected], { shown })
  }

  async callAsUser(call: Call, ...expected: number[]): Promise<ShownResponse> {
    return await this.call({ ...call, headers: [...(call.headers ?? []), ...userHeaders()] }, ...expected)
  }

  /**
   * Sends a complete request. Its expected statuses and errors are those of `call`.
   *
   * @param options.shown The request as the page shows it, if that differs from the request as it is sent
   * @param options.file The file of a form
   */
  async send(
    request: ShownRequest,
    expected: readonly number[],
    { shown = request, file }: { shown?: ShownRequest; file?: File } = {},
  ): Promise<ShownResponse> {
    const { signal } = this.#end
    const response = await send(request, { file, onProgress: file && this.tools.onProgress, signal })
    this.#exchanges.push({ request: shown, response: shortenResponse(response) })
    if (expected.includes(response.status)) return response
    throw explain(response)
  }

  /** Ends the run, because the person has left the step. From then on, calls and waits of the step fail. */
  stop(): void {
    this.#end.abort()
  }

  /** Aborts when the person leaves the step. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Drops the latest exchanges, because the next ones are the same calls again. @param kept How many exchanges stay */
  forgetAfter(kept: number): void {
    this.#exchanges.length = kept
  }
}

/**
 * The header with the user's token. If nobody is signed in, the request has none, and the service responds with an
 * error.
 */
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
