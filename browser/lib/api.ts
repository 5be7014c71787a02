import type { ShownRequest, ShownResponse } from '../../src/design/shown-request.ts'
import { adviseOn, describeProblem, readProblem } from './problem.ts'

// Calls to the API. Pages show what they send, so a call is fully described before it is made.

/** How many bytes of an upload have been sent. */
export type Progress = (sentBytes: number, totalBytes: number) => void

/** How long a call without a file may take. An upload takes as long as the network of the person needs. */
const TIMEOUT_SECONDS = 30

/** A call that did not succeed, in words for the person at the page. */
export class CallFailed extends Error {
  /** Absent if the service could not be reached, or did not answer. */
  readonly response: ShownResponse | undefined
  /** What to do, as a sentence. */
  readonly advice: string

  constructor(message: string, advice: string, response?: ShownResponse) {
    super(message)
    this.advice = advice
    this.response = response
  }

  /** Whether the credential is no longer valid, so that the person has to sign in again. */
  get isSignedOut(): boolean {
    return this.response?.status === 401
  }
}

interface SendOptions {
  file?: File | undefined
  onProgress?: Progress | undefined
  signal?: AbortSignal
}

/**
 * @returns The response, whatever its status
 * @throws CallFailed if the service cannot be reached, or does not answer
 * @throws The reason of the signal if it has aborted the call
 */
export async function send(
  request: ShownRequest,
  { file, onProgress, signal }: SendOptions = {},
): Promise<ShownResponse> {
  signal?.throwIfAborted()
  const start = performance.now()
  // XMLHttpRequest, because fetch cannot tell how much of a request has been sent.
  const xhr = new XMLHttpRequest()
  const ended = new Promise<void>((resolve, reject) => {
    xhr.onload = () => resolve()
    xhr.onerror = xhr.onabort = () => reject(explainUnreachable())
    xhr.ontimeout = () => reject(explainSilence())
  })
  if (onProgress) xhr.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
  xhr.open(request.method, request.url)
  for (const [name, value] of request.headers) xhr.setRequestHeader(name, value)
  const abort = () => xhr.abort()
  signal?.addEventListener('abort', abort)
  if (!file) xhr.timeout = TIMEOUT_SECONDS * 1000
  xhr.send(bodyOf(request, file))
  try {
    await ended
  } finally {
    signal?.removeEventListener('abort', abort)
    // After an abort, the caller gets the reason of the signal instead of CallFailed.
    signal?.throwIfAborted()
  }
  return {
    status: xhr.status,
    headers: parseHeaders(xhr.getAllResponseHeaders()),
    text: xhr.responseText,
    milliseconds: Math.round(performance.now() - start),
  }
}

function explainUnreachable(): CallFailed {
  return new CallFailed('The service cannot be reached.', 'Check that it runs and that you are online, then try again.')
}

/** The service may have done what the call asked for. */
function explainSilence(): CallFailed {
  return new CallFailed(
    `The service did not answer in ${TIMEOUT_SECONDS} seconds.`,
    'Check that you are online. Reload the page to see whether the call had an effect. If it had none, try again.',
  )
}

function bodyOf({ body }: ShownRequest, file: File | undefined): string | FormData | null {
  if (!body) return null
  if ('text' in body) return body.text
  if (!file) throw new Error('a form needs its file')
  const form = new FormData()
  form.set(body.field, file)
  return form
}

function parseHeaders(text: string): [string, string][] {
  return text
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
}

/**
 * Makes a call that should succeed.
 *
 * @returns The JSON of the response; undefined if it has no body
 * @throws CallFailed
 */
// biome-ignore lint/suspicious/noExplicitAny: the OpenAPI document describes the shapes
export async function call(request: ShownRequest): Promise<any> {
  const response = await send(request)
  if (response.status >= 400) throw explainRefusal(response)
  return response.text === '' ? undefined : JSON.parse(response.text)
}

/** Explains an error response to the user of the page. */
export function explainRefusal(response: ShownResponse): CallFailed {
  return new CallFailed(describeProblem(readProblem(response)), adviseOn(response), response)
}
