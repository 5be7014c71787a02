import { toFetch } from '../../src/design/snippets/fetch.ts'
import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { type BenchRequest, bodyBytesOf } from '../bench/request.ts'
import { joinRequest, requestPartsOf } from '../documents/request.ts'
import type { Case } from '../suite/declare.ts'
import { benchFormsOf } from '../suite/forms/index.ts'

// The request of a case as text, and as code.

/** The request that we would send; of an open case one of those that may be sent. */
export function shownRequestOf(spec: Case): BenchRequest {
  const [first] = benchFormsOf(spec)
  return first?.request ?? joinRequest(spec, requestPartsOf(spec))
}

/** Only runs have the cases of `retry`. */
const benchOf = ({ retry }: Case) => (retry ? '/lab/runs/{runId}' : '/lab/try')

/** The request as HTTP/1.1 has it, in absolute form (RFC 9112, 3.2.2). In its body, `\xNN` is a byte. */
export function httpOf(spec: Case, { method, target, headers, body }: BenchRequest): string {
  const lines = [
    `${method} ${EXAMPLE_ORIGIN}${benchOf(spec)}${target} HTTP/1.1`,
    ...headers.map((header) => header.join(': ')),
  ]
  return [...lines, ...(body === '' ? [] : ['', body])].join('\n').trimEnd()
}

export function fetchOf(spec: Case, request: BenchRequest): string {
  const { method, target, headers } = request
  const bytes = bodyBytesOf(request)
  const plain = { method, url: `${EXAMPLE_ORIGIN}${benchOf(spec)}${target}`, headers }
  if (bytes.length === 0) return toFetch({ ...plain, body: undefined })
  const text = textOf(bytes)
  if (text !== undefined) return toFetch({ ...plain, body: { text } })
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  const expression = `Uint8Array.from(atob('${base64}'), (one) => one.charCodeAt(0))`
  return toFetch({ ...plain, body: { text: base64 } }).replace(`'${base64}'`, expression)
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
