import { parse } from 'content-type'
import type { Bytes } from '../../lib/bytes.ts'
import { MalformedMultipart, MultipartReader, type PartField } from '../../lib/multipart.ts'

export const MULTIPART_FORM_TYPE = 'multipart/form-data'

const PIECE_BYTES = 64 * 1024

/** A part of a form. Texts that are not UTF-8 have U+FFFD in them. */
export interface FormPart {
  name: string
  /** Undefined if the part is a field, and not a file. */
  filename: string | undefined
  /** The Content-Type as it was sent; empty if there is none. */
  type: string
  content: Bytes
}

/**
 * Reads a form (`multipart/form-data`, RFC 7578). Of each part, only `Content-Disposition` (RFC 2183) and
 * `Content-Type` count. `filename*` is ignored, because RFC 7578 does not allow it (section 4.2).
 *
 * @param contentType The Content-Type of the form, which names the boundary
 * @param take Gets each part when it is complete. An error that it throws ends the reading
 * @throws MalformedMultipart, or what `take` throws
 */
export function readFormParts(bytes: Bytes, contentType: string, take: (part: FormPart) => void): void {
  // All contents together are not longer than the form. They are copied, because they can come in millions of pieces.
  const contents = new Uint8Array(bytes.byteLength)
  let length = 0
  let start = 0
  let head: Omit<FormPart, 'content'>
  const reader = new MultipartReader(parse(contentType).parameters.boundary ?? '', {
    begin(fields) {
      head = {
        ...readDisposition(findValue(fields, 'content-disposition')),
        type: findValue(fields, 'content-type') ?? '',
      }
      start = length
    },
    take(content) {
      contents.set(content, length)
      length += content.byteLength
    },
    end: () => take({ ...head, content: contents.subarray(start, length) }),
  })
  // In pieces, because the reader can copy what is written.
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) reader.write(bytes.subarray(at, at + PIECE_BYTES))
  reader.end()
}

/** @throws MalformedMultipart if the part has several fields of this name */
function findValue(fields: readonly PartField[], name: string): string | undefined {
  const [field, ...others] = fields.filter((field) => field[0] === name)
  if (others.length > 0) throw new MalformedMultipart(`a part has more than one ${name}`)
  return field?.[1]
}

/** @throws MalformedMultipart */
function readDisposition(value = ''): Pick<FormPart, 'name' | 'filename'> {
  const [, type = '', parameters = ''] = /^([^;]*)(.*)$/s.exec(value) ?? []
  if (type.trim().toLowerCase() !== 'form-data') {
    throw new MalformedMultipart('a part has no Content-Disposition with the type form-data')
  }
  const { name, filename } = readParameters(parameters)
  if (name === undefined) throw new MalformedMultipart('a part has no name')
  return { name, filename }
}

/** A parameter (RFC 2183, section 2): a token, or a text in quotes. White space may be anywhere between them. */
const PARAMETER = /;[ \t]*([^\s;="]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;"]+))[ \t]*/y
/** Some senders end the list with a semicolon. */
const END = /;?[ \t]*$/y

/**
 * Reads the parameters of a Content-Disposition. The names are in lower case.
 *
 * @throws MalformedMultipart if anything else is between them, or if one is repeated
 */
function readParameters(text: string): Partial<Record<string, string>> {
  const parameters = new Map<string, string>()
  let position = 0
  while (!matchAt(END, text, position)) {
    const [whole = '', name = '', quoted, token = ''] = matchAt(PARAMETER, text, position) ?? []
    const key = name.toLowerCase()
    if (key === '' || parameters.has(key)) throw new MalformedMultipart('a part has an invalid Content-Disposition')
    parameters.set(key, decodePercents(quoted === undefined ? token.trim() : unescapeQuoted(quoted)))
    position += whole.length
  }
  return Object.fromEntries(parameters)
}

/** Matches a sticky pattern at a position. */
function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

/**
 * Decodes a text in quotes (RFC 822, section 3.3). Browsers do not escape a backslash, so it is an escape only before a
 * quote or a backslash.
 */
function unescapeQuoted(quoted: string): string {
  return quoted.replaceAll(/\\(["\\])/g, '$1')
}

const PERCENT_CODES: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' }

/**
 * Decodes the three characters that browsers encode (https://html.spec.whatwg.org, "multipart/form-data encoding
 * algorithm"). They do not encode the percent sign, so any other sequence is as it was typed.
 */
function decodePercents(text: string): string {
  return text.replaceAll(/%(?:22|0D|0A)/gi, (code) => PERCENT_CODES[code.toUpperCase()] ?? code)
}
