// A request to a case as a person reads and edits it. The pages of the laboratory use this in browsers too.

/** Values and bodies are texts in which `\xNN` is a byte. */
export interface BenchRequest {
  method: string
  /** The path below the bench, with the query: `/query/form-array?color=blue`. */
  target: string
  headers: readonly (readonly [name: string, value: string])[]
  /** Empty if there is none. A line of `multipart/form-data` ends in CRLF. */
  body: string
}

const CONTENT_TYPE = 'content-type'

/** The value of a header; undefined if it is not there. */
export function headerOf({ headers }: Pick<BenchRequest, 'headers'>, name: string): string | undefined {
  return headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1]
}

/** Whether lines of the body end in CRLF. */
function isMultipart(request: Pick<BenchRequest, 'headers'>): boolean {
  return headerOf(request, CONTENT_TYPE)?.toLowerCase().startsWith('multipart/') ?? false
}

export function bodyBytesOf(request: Pick<BenchRequest, 'headers' | 'body'>): Uint8Array<ArrayBuffer> {
  return readBytes(isMultipart(request) ? request.body.replaceAll(/\r?\n/g, '\r\n') : request.body)
}

/** A text in which `\xNN` is a byte, as bytes. All else is in UTF-8. */
export function readBytes(text: string): Uint8Array<ArrayBuffer> {
  const pieces = text.split(/\\x([\da-f]{2})/i)
  const bytes = pieces.map((piece, index) =>
    index % 2 === 0 ? new TextEncoder().encode(piece) : Uint8Array.of(Number.parseInt(piece, 16)),
  )
  const whole = new Uint8Array(bytes.reduce((sum, { length }) => sum + length, 0))
  let from = 0
  for (const piece of bytes) {
    whole.set(piece, from)
    from += piece.length
  }
  return whole
}

/** What cannot be seen, or would be read as a byte. */
const ESCAPED = /\\(?=x[\da-f]{2})|(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/giu

/** Bytes as a text from which `readBytes` makes them again. Bytes that are no UTF-8 are `\xNN`, each beyond ASCII. */
export function showBytes(bytes: Uint8Array): string {
  const text = readUtf8(bytes)
  if (text !== undefined) return text.replaceAll(ESCAPED, escapeAsUtf8)
  const characters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return characters.replaceAll(ESCAPED, escapeByte).replaceAll(/[\u0080-\u00ff]/g, escapeByte)
}

/** As `showBytes`, for the body of multipart: CRLF is the end of a line, and nothing else is. */
export function showMultipart(bytes: Uint8Array): string {
  return showBytes(bytes).replaceAll(/\n/g, '\\x0a').replaceAll('\\x0d\\x0a', '\n')
}

function readUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const escapeByte = (one: string) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`

const escapeAsUtf8 = (one: string) =>
  Array.from(new TextEncoder().encode(one), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
