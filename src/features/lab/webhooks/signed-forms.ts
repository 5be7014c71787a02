import { decodeSecret } from '../../../domain/webhook-keys.ts'
import { type Bytes, decodeBase64, encodeText, joinBytes } from '../../../lib/bytes.ts'
import { decodeUtf8 } from '../../../lib/text.ts'
import type { FindingCode } from './findings.ts'

// What a sender may have signed, and how it may have written the signature, each with the deviations from Standard
// Webhooks that lead to it.

/** Something with the deviations that lead to it. */
export interface Form<Value> {
  value: Value
  deviations: readonly FindingCode[]
}

/**
 * A longer JSON is not tried: indentation can make a text of many levels many times longer, and so can numbers like 1e20,
 * which are written in full.
 */
const REWRITTEN_MAX_LENGTH = 512 * 1024

const as = <Value>(value: Value, ...deviations: FindingCode[]): Form<Value> => ({ value, deviations })

/** The bytes that a signature may mean. */
export function readSignature(text: string): Form<Bytes>[] {
  const exact = decodeBase64(text)
  const completed = completeBase64(text)
  const other = completed === text ? undefined : decodeBase64(completed)
  return [
    ...(exact ? [as(exact)] : []),
    ...(/^(?:[0-9a-f]{2})+$/i.test(text) ? [as<Bytes>(Uint8Array.fromHex(text), 'hex')] : []),
    ...(other ? [as(other, 'base64url')] : []),
  ]
}

/** In the alphabet of base64, with padding. */
function completeBase64(text: string): string {
  const digits = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  return digits.padEnd(Math.ceil(digits.length / 4) * 4, '=')
}

/** The keys that a sender may have made of a secret. */
export function keysOfSecret(secret: string): Form<Bytes>[] {
  const base64 = secret.replace(/^whsec_/, '')
  const decoded = decodeSecret(secret)
  return [
    ...(decoded ? [as(decoded)] : []),
    as(encodeText(`whsec_${base64}`), 'key-not-decoded'),
    as(encodeText(base64), 'key-not-decoded'),
  ]
}

/** What Standard Webhooks signs. */
export function rightContent(id: string, timestamp: string, body: Bytes): Bytes {
  return joinBytes([encodeText(`${id}.${timestamp}.`), body])
}

/** What a sender may have signed instead. */
export function* otherContents(id: string, timestamp: string, body: Bytes): Generator<Form<Bytes>> {
  const heads = [
    as(`${id}.${timestamp}.`),
    as(`${timestamp}.`, 'id-unsigned'),
    as(`${id}.`, 'time-unsigned'),
    as('', 'id-unsigned', 'time-unsigned'),
  ]
  const bodies = bodiesOf(body)
  for (const head of heads) {
    const start = encodeText(head.value)
    for (const { value, deviations } of bodies) {
      const all = [...head.deviations, ...deviations]
      if (all.length > 0) yield as(joinBytes([start, value]), ...all)
    }
  }
}

function bodiesOf(body: Bytes): Form<Bytes>[] {
  const rewritten = rewrite(body).map((text) => as(encodeText(text), 'body-rewritten'))
  return [as(body), ...rewritten].flatMap(({ value, deviations }) => [
    as(value, ...deviations),
    ...changeNewline(value).map((changed) => as(changed, 'newline', ...deviations)),
  ])
}

const [CR, LF] = [0x0d, 0x0a]

/** The body with one LF or CRLF more or less at its end. */
function changeNewline(body: Bytes): Bytes[] {
  const hasLf = body.at(-1) === LF
  const hasCrlf = hasLf && body.at(-2) === CR
  return [
    joinBytes([body, new Uint8Array([LF])]),
    joinBytes([body, new Uint8Array([CR, LF])]),
    ...(hasLf ? [body.subarray(0, -1)] : []),
    ...(hasCrlf ? [body.subarray(0, -2)] : []),
  ]
}

/** The JSON of a body, parsed and written again: compact, and with two spaces. Without what is the body itself. */
function rewrite(body: Bytes): string[] {
  const text = decodeUtf8(body)
  if (text === undefined) return []
  try {
    const value: unknown = JSON.parse(text)
    const compact = JSON.stringify(value)
    if (compact.length > REWRITTEN_MAX_LENGTH) return []
    const forms = prettyLengthOf(compact) > REWRITTEN_MAX_LENGTH ? [compact] : [compact, JSON.stringify(value, null, 2)]
    return [...new Set(forms)].filter((form) => form !== text)
  } catch {
    // It is not JSON, or it has more levels than the engine can write.
    return []
  }
}

/** How long compact JSON would be with two spaces of indentation, counted without writing it. Never too small. */
function prettyLengthOf(compact: string): number {
  let length = compact.length
  let level = 0
  let isInText = false
  for (let index = 0; index < compact.length; index++) {
    const character = compact[index]
    if (isInText) {
      if (character === '\\') index++
      else if (character === '"') isInText = false
    } else if (character === '"') isInText = true
    else if (character === '{' || character === '[') length += 1 + 2 * ++level
    else if (character === '}' || character === ']') length += 1 + 2 * --level
    else if (character === ',') length += 1 + 2 * level
    else if (character === ':') length++
  }
  return length
}
