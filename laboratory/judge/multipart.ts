import { MalformedMultipart, MultipartReader } from '../../src/lib/multipart.ts'
import type { Expected, ExpectedItem, ExpectedPart } from '../case.ts'
import { charsetOf, decodeText, requireCharset } from './charset.ts'
import { type Field, readField, reportFaults } from './field.ts'
import { compareJson } from './json.ts'
import { findBoundary } from './media-type.ts'
import { type Part, quote, report } from './part.ts'
import { compareScalar } from './scalars.ts'
import { type Bytes, plainText, type Slice, split, type Text, toBytes, toCodes, trim } from './text.ts'

/** A field of the head of a part, as it came. */
interface HeadField {
  /** In lower case. */
  name: Bytes
  at: number
  value: Slice
}

interface BodyPart {
  head: readonly HeadField[]
  /** The offset of the empty line after the head. */
  headEnd: number
  content: Slice
  disposition: Field | undefined
  type: Field | undefined
}

/** The fields of a head, whose lines may be folded (RFC 5322, 2.2.3). */
function readHead(bytes: Bytes, whole: Slice): HeadField[] {
  return [...split(bytes, whole, /\r\n(?![ \t])/g)].flatMap(([start, end]) => {
    const colon = bytes.slice(start, end).indexOf(':')
    if (colon < 0) return []
    const [at, nameEnd] = trim(bytes, [start, start + colon])
    return [{ name: bytes.slice(at, nameEnd).toLowerCase(), at, value: trim(bytes, [start + colon + 1, end]) }]
  })
}

const findField = ({ head }: { head: readonly HeadField[] }, name: string) => head.find((field) => field.name === name)

/**
 * Reads the parts with the reader that uploads use. What ends its reading is noted.
 *
 * @param whole Where they are
 * @param what What has them, in a sentence
 */
function readParts(
  part: Part,
  boundary: string,
  whole: Slice,
  what: string,
): { parts: readonly BodyPart[]; end: number } {
  const [from, to] = whole
  const bytes = part.received
  const parts: BodyPart[] = []
  let open: { head: Slice; start: number } | undefined
  const close = (end: number) => {
    if (!open) return
    const head = readHead(bytes, open.head)
    const fieldOf = (name: string) => {
      const field = findField({ head }, name.toLowerCase())
      return field && readField(bytes, field.value, 'mime', `${name} of a part`)
    }
    parts.push({
      head,
      headEnd: open.head[1],
      content: [open.start, Math.max(open.start, end)],
      disposition: fieldOf('Content-Disposition'),
      type: fieldOf('Content-Type'),
    })
    open = undefined
  }
  const reader = new MultipartReader(boundary, {
    begin(_, { start, end }, contentAt) {
      open = { head: [from + start, from + end], start: from + contentAt }
    },
    take() {},
    end(contentEnd) {
      close(from + contentEnd)
    },
  })
  try {
    reader.write(toCodes(bytes.slice(...whole)))
    // The delimiter begins with a line break.
    return { parts, end: Math.max(from, from + reader.end() + 2) }
  } catch (error) {
    if (!(error instanceof MalformedMultipart)) throw error
    close(to)
    const isUnknown = error.at === undefined && !bytes.slice(...whole).includes(`--${boundary}`)
    const problem = isUnknown ? 'the boundary of the Content-Type is not in it' : error.message
    report(part, 'fail', error.at === undefined ? to : from + error.at, `${what} cannot be read: ${problem}.`)
    return { parts, end: to }
  }
}

/** Decodes a text by the charset of its part (RFC 7578, 4.4 to 4.6). */
function decodePart(part: Part, { type, content }: BodyPart, fallback: Bytes | undefined, what: string): Text {
  const charset = type?.parameters.get('charset')
  if (charset) return decodeText(part, content, requireCharset(part, charset, what) ?? 'utf-8', what)
  const named = fallback === undefined ? 'utf-8' : charsetOf(fallback)
  if (!named) report(part, 'fail', content[0], `The charset ${quote(fallback ?? '')} of the form is not read.`)
  return decodeText(part, content, named ?? 'utf-8', what)
}

function compareType(part: Part, { type, headEnd }: BodyPart, expected: string, what: string): void {
  if ((type?.value ?? 'text/plain') === expected) return
  const problem = type
    ? `has the Content-Type ${quote(type.value)}, not "${expected}"`
    : `has no Content-Type, which should be "${expected}"`
  report(part, 'fail', type?.at ?? headEnd, `${what} ${problem}.`)
}

/** Encodings that change no byte. Others are deprecated (RFC 7578, 4.7). */
const IDENTITY_ENCODINGS: readonly Bytes[] = ['7bit', '8bit', 'binary']

/** Notes what is wrong with the head of a part, whatever the part is. */
function compareHead(part: Part, found: BodyPart): void {
  const { head, disposition, type } = found
  const seen = new Set<Bytes>()
  for (const { name, at } of head) {
    if (seen.has(name)) report(part, 'fail', at, `A part has the header ${quote(name)} twice.`)
    seen.add(name)
  }
  if (disposition) reportFaults(part, disposition)
  if (type) reportFaults(part, type)
  const encoding = findField(found, 'content-transfer-encoding')
  const value = encoding && part.received.slice(...encoding.value)
  if (encoding && !IDENTITY_ENCODINGS.includes((value ?? '').toLowerCase()))
    report(part, 'fail', encoding.value[0], `A part has the Content-Transfer-Encoding ${quote(value ?? '')}.`)
}

function compareBodyPart(part: Part, found: BodyPart, expected: ExpectedPart, fallback: Bytes | undefined): void {
  const { content, headEnd } = found
  const name = toBytes(expected.name)
  const what = `the part ${quote(name)}`
  const type = expected.contentType ?? (expected.isJson ? 'application/json' : expected.file ? undefined : 'text/plain')
  if (type !== undefined) compareType(part, found, type, what)
  for (const [header, value] of Object.entries(expected.headers ?? {})) {
    const field = findField(found, header.toLowerCase())
    if (!field) report(part, 'fail', headEnd, `${what} has no header ${header}.`)
    else {
      const text = plainText(part.received, field.value)
      compareScalar(part, text, value, `the header ${header} of ${what}`)
    }
  }
  if (expected.file) {
    if (!found.disposition?.parameters.has('filename')) report(part, 'nonStrict', headEnd, `${what} has no filename.`)
    compareFile(part, content, atob(expected.file.bytes), what)
  } else if (expected.expected) {
    compareContent(part, found, expected.expected, expected.isJson, what, fallback)
  }
}

/** Compares what is in a part, if it is neither a file nor parts. */
function compareContent(
  part: Part,
  found: BodyPart,
  expected: Expected,
  isJson: boolean | undefined,
  what: string,
  fallback?: Bytes,
): void {
  if (!isJson) {
    compareScalar(part, decodePart(part, found, fallback, what), expected, what)
    return
  }
  const charset = found.type?.parameters.get('charset')
  if (charset && charsetOf(charset.value) !== 'utf-8')
    report(part, 'nonStrict', charset.at, `${what} is JSON, which has no charset ${quote(charset.value)}.`)
  compareJson(part, decodeText(part, found.content, 'utf-8', what), expected, what)
}

export function compareFile(part: Part, [start, end]: Slice, expected: Bytes, what: string): void {
  const actual = part.received.slice(start, end)
  if (actual === expected) return
  let index = 0
  while (index < expected.length && actual.charCodeAt(index) === expected.charCodeAt(index)) index++
  const problem = `has ${actual.length} bytes, of which byte ${index}, counted from 0, differs`
  report(part, 'fail', start + index, `${what} ${problem}; there should be ${expected.length}.`)
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
  const { parts, end } = readParts(part, boundary, [0, part.received.length], 'the form')
  const rest = [...expected]
  const named = (name: Bytes | undefined) => rest.findIndex((candidate) => toBytes(candidate.name) === name)
  const nameOf = ({ disposition }: BodyPart) => disposition?.parameters.get('name')
  const charset = parts.find((found) => nameOf(found)?.value === '_charset_')
  const fallback = charset && part.received.slice(...trim(part.received, charset.content))
  for (const found of parts) {
    if (part.fail && part.fail.at < found.headEnd) break
    const { disposition, headEnd } = found
    const name = nameOf(found)
    const index = named(name?.value)
    const wanted = rest[index]
    compareHead(part, found)
    if (!disposition) report(part, 'fail', headEnd, 'A part has no Content-Disposition.')
    else if (disposition.value !== 'form-data')
      report(part, 'fail', disposition.at, `A part has the disposition ${quote(disposition.value)}, not "form-data".`)
    if (wanted) {
      const [first = wanted, ...others] = itemsOf(part, found, wanted)
      rest.splice(index, 1, ...others)
      compareBodyPart(part, found, first, fallback)
    } else if (!name) report(part, 'fail', headEnd, 'A part has no name.')
    else if (found !== charset) {
      const isKnown = expected.some((candidate) => toBytes(candidate.name) === name.value)
      report(part, 'fail', name.at, `There should be no ${isKnown ? 'other ' : ''}part ${quote(name.value)}.`)
    }
  }
  const [missing] = rest
  if (missing) report(part, 'fail', end, `A part ${quote(toBytes(missing.name))} is missing.`)
}

/** The headers that count of a part without a name. */
const COUNTED: readonly Bytes[] = ['content-type', 'content-transfer-encoding']

/**
 * Compares parts that have positions and no names (OpenAPI 3.2.0, "Encoding By Position").
 *
 * @param whole Where they are
 * @param what What has them, in a sentence
 */
export function compareItems(
  part: Part,
  boundary: string,
  expected: readonly ExpectedItem[],
  whole: Slice = [0, part.received.length],
  what = 'the body',
): void {
  const { parts, end } = readParts(part, boundary, whole, what)
  for (const [index, found] of parts.entries()) {
    if (part.fail && part.fail.at < found.headEnd) return
    const wanted = expected[index]
    if (!wanted) {
      // The delimiter before it, behind the end of the line.
      const at = (parts[index - 1]?.content[1] ?? whole[0]) + 2
      report(part, 'fail', at, `${what} has more than ${expected.length} parts.`)
      return
    }
    compareItem(part, found, wanted, `part ${index + 1} of ${what}`)
  }
  if (parts.length < expected.length) report(part, 'fail', end, `Part ${parts.length + 1} of ${what} is missing.`)
}

function compareItem(part: Part, found: BodyPart, wanted: ExpectedItem, what: string): void {
  const { head, type, content, headEnd } = found
  compareHead(part, { ...found, head: head.filter(({ name }) => COUNTED.includes(name)), disposition: undefined })
  compareType(part, found, wanted.contentType, what)
  if ('expected' in wanted) compareContent(part, found, wanted.expected, wanted.isJson, what)
  else if (type?.value === wanted.contentType) {
    const boundary = findBoundary(part, type, headEnd, `the Content-Type of ${what}`)
    if (boundary !== undefined) compareItems(part, boundary, wanted.parts, content, what)
  }
}
