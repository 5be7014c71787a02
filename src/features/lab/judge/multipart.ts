import type { ExpectedPart } from '../case.ts'
import { compareJson } from './json.ts'
import { type Field, readField } from './media-type.ts'
import { type Part, quote, report } from './part.ts'
import { compareScalar } from './scalars.ts'
import { type Bytes, plainText, type Slice, split, type Text, TextBuilder, toBytes, trim } from './text.ts'

/** A part of the body, as it came. */
interface BodyPart {
  /** The values of its header fields, by name in lower case. */
  head: ReadonlyMap<string, Slice>
  /** The offset of the empty line after the head. */
  headEnd: number
  content: Slice
  disposition: Field | undefined
  type: Field | undefined
}

/** What follows a boundary in its line: two hyphens after the last one, and padding. */
const AFTER_BOUNDARY = /(--)?[ \t]*(\r\n|$)/y

/** Reads the head of a part, whose lines may be folded (RFC 5322, 2.2.3). */
function readHead(bytes: Bytes, [start, end]: Slice): ReadonlyMap<string, Slice> {
  const head = new Map<string, Slice>()
  for (const [first, last] of split(bytes, [start, end], /\r\n(?![ \t])/g)) {
    const colon = bytes.slice(first, last).indexOf(':')
    const name = bytes.slice(...trim(bytes, [first, first + colon])).toLowerCase()
    if (colon > 0 && !head.has(name)) head.set(name, trim(bytes, [first + colon + 1, last]))
  }
  return head
}

function readPart(bytes: Bytes, [start, end]: Slice): BodyPart {
  // A part without a head begins with the empty line.
  const blank = `\r\n${bytes.slice(start, end)}`.indexOf('\r\n\r\n')
  const headEnd = blank < 0 ? end : start + blank
  const head = readHead(bytes, [start, headEnd])
  const field = (name: string) => {
    const value = head.get(name)
    return value && readField(bytes, value)
  }
  return {
    head,
    headEnd,
    content: [Math.min(headEnd + 2, end), end],
    disposition: field('content-disposition'),
    type: field('content-type'),
  }
}

/** Splits a body at its boundary (RFC 2046, 5.1.1). What is before the first and after the last one does not count. */
function readParts(part: Part, boundary: string): { parts: readonly BodyPart[]; end: number } {
  const bytes = part.received
  const parts: BodyPart[] = []
  // A body may begin with the boundary, whose line break is left out then.
  const lines = `\r\n${bytes}`
  const delimiter = `\r\n--${boundary}`
  let start: number | undefined
  let line = lines.indexOf(delimiter)
  while (line >= 0) {
    AFTER_BOUNDARY.lastIndex = line + delimiter.length
    const [matched, close, lineBreak] = AFTER_BOUNDARY.exec(lines) ?? []
    // Otherwise it is a longer line of the content.
    if (matched !== undefined && (close || lineBreak)) {
      if (start !== undefined) parts.push(readPart(bytes, [start, Math.max(start, line - 2)]))
      if (close) return { parts, end: line }
      start = AFTER_BOUNDARY.lastIndex - 2
      // Its line break may be that before the next boundary.
      line = lines.indexOf(delimiter, start)
    } else line = lines.indexOf(delimiter, line + 1)
  }
  if (start !== undefined) parts.push(readPart(bytes, [start, bytes.length]))
  const reason =
    start === undefined ? 'The boundary of the Content-Type is not in the body.' : 'The last boundary is missing.'
  report(part, 'fail', bytes.length, reason)
  return { parts, end: bytes.length }
}

/** Decodes a text by the charset of its part (RFC 7578, 4.4 to 4.6). */
function decodeText(part: Part, { type, content }: BodyPart, fallback: string | undefined): Text {
  const charset = type?.parameters.get('charset')
  const name = (charset?.value ?? fallback ?? 'utf-8').toLowerCase()
  if (/^utf-?8$/.test(name)) return plainText(part.received, content)
  const isLatin = name === 'iso-8859-1'
  if (!isLatin && name !== 'us-ascii') {
    report(part, 'fail', charset?.at ?? content[0], `The charset ${quote(name)} of a part is not read.`)
  }
  const text = new TextBuilder()
  for (let at = content[0]; at < content[1]; at++) {
    const byte = part.received.charAt(at)
    // A byte that US-ASCII does not have is no text.
    text.add(isLatin ? toBytes(byte) : byte < '\x80' ? byte : '\xff', at)
  }
  return text.build(content[1])
}

function compareType(part: Part, { type, headEnd }: BodyPart, expected: string, name: string): void {
  if ((type?.value ?? 'text/plain') === expected) return
  const problem = type
    ? `has the Content-Type ${quote(type.value)}, not "${expected}"`
    : `has no Content-Type, which should be "${expected}"`
  report(part, 'fail', type?.at ?? headEnd, `The part ${quote(name)} ${problem}.`)
}

function compareBodyPart(part: Part, found: BodyPart, expected: ExpectedPart, fallback: string | undefined): void {
  const { content, head, headEnd } = found
  const name = toBytes(expected.name)
  const what = `The part ${quote(name)}`
  const type = expected.contentType ?? (expected.isJson ? 'application/json' : expected.file ? undefined : 'text/plain')
  if (type !== undefined) compareType(part, found, type, name)
  for (const [header, value] of Object.entries(expected.headers ?? {})) {
    const slice = head.get(header.toLowerCase())
    if (!slice) report(part, 'fail', headEnd, `${what} has no header ${header}.`)
    else
      compareScalar(
        part,
        plainText(part.received, slice),
        { is: 'text', value },
        `${header} of the part ${quote(name)}`,
      )
  }
  if (expected.file) {
    if (!found.disposition?.parameters.has('filename')) {
      report(part, 'nonStrict', headEnd, `${what} has no filename.`)
    }
    compareFile(part, content, atob(expected.file.bytes), what)
  } else if (expected.expected && expected.isJson) {
    compareJson(part, plainText(part.received, content), expected.expected, what)
  } else if (expected.expected) {
    compareScalar(part, decodeText(part, found, fallback), expected.expected, what)
  }
}

/** Compares bytes. */
export function compareFile(part: Part, [start, end]: Slice, expected: Bytes, what: string): void {
  const actual = part.received.slice(start, end)
  if (actual === expected) return
  let index = 0
  while (index < expected.length && actual.charCodeAt(index) === expected.charCodeAt(index)) index++
  const problem = `has ${actual.length} bytes, of which number ${index + 1} differs; there should be ${expected.length}`
  report(part, 'fail', start + index, `${what} ${problem}.`)
}

/** A list in JSON may also come as a part for each item (OpenAPI 3.1.2, "Encoding multipart Media Types"). */
function itemsOf(part: Part, { content }: BodyPart, wanted: ExpectedPart): readonly ExpectedPart[] {
  const { expected, isJson } = wanted
  const isWhole =
    !isJson ||
    part.received
      .slice(...content)
      .trimStart()
      .startsWith('[')
  return isWhole || expected?.is !== 'list' ? [wanted] : expected.items.map((item) => ({ ...wanted, expected: item }))
}

/** Compares `multipart/form-data` (RFC 7578) part by part. Parts with other names may be between those with one name. */
export function compareMultipart(part: Part, boundary: string, expected: readonly ExpectedPart[]): void {
  const { parts, end } = readParts(part, boundary)
  const rest = [...expected]
  const named = (name: Bytes | undefined) => rest.findIndex((candidate) => toBytes(candidate.name) === name)
  const nameOf = ({ disposition }: BodyPart) => disposition?.parameters.get('name')
  const charset = parts.find((found) => nameOf(found)?.value === '_charset_')
  const fallback = charset && trim(part.received, charset.content)
  for (const found of parts) {
    if (part.fail && part.fail.at < found.headEnd) break
    const name = nameOf(found)
    const index = named(name?.value)
    const wanted = rest[index]
    if (found.disposition && found.disposition.value !== 'form-data') {
      report(
        part,
        'fail',
        found.disposition.at,
        `A part has the disposition ${quote(found.disposition.value)}, not "form-data".`,
      )
    }
    if (wanted) {
      const [first = wanted, ...others] = itemsOf(part, found, wanted)
      rest.splice(index, 1, ...others)
      compareBodyPart(part, found, first, fallback && part.received.slice(...fallback))
    } else if (!name) report(part, 'fail', found.headEnd, 'A part has no name.')
    else if (found !== charset)
      report(
        part,
        'fail',
        name.at,
        `There should be no ${expected.some((e) => toBytes(e.name) === name.value) ? 'other ' : ''}part ${quote(name.value)}.`,
      )
  }
  const [missing] = rest
  if (missing) report(part, 'fail', end, `A part ${quote(toBytes(missing.name))} is missing.`)
}
