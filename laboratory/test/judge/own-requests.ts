import { bytesOf as latin1 } from '../../../test/support/pictures.ts'
import type { Arrived, Expected, ExpectedItem, ExpectedPart, JudgedCase } from '../../case.ts'
import { judgedCaseOf } from '../../documents/judged.ts'
import { CASES } from '../../suite/suite.ts'
import { utf16 } from './encoders.ts'

/** Groups whose requests follow from the declaration alone. */
const GROUPS = ['path', 'query', 'header', 'cookie', 'form', 'multipart', 'body', 'xml']

export const judgedCases: readonly JudgedCase[] = CASES.map(judgedCaseOf).filter(
  ({ id, level }) => level !== 'open' && GROUPS.some((group) => id.startsWith(`${group}/`)),
)

/** What may differ between two requests that say the same. */
export interface Freedom {
  /** Of some ways, one. */
  choose: <const Way>(...ways: readonly [Way, ...Way[]]) => Way
  /** In another order. */
  shuffle: <Item>(items: readonly Item[]) => readonly Item[]
}

/** No freedom: each request as it is usual. */
export const PLAIN: Freedom = { choose: (first) => first, shuffle: (items) => items }

const bytesOf = (text: string) => new TextEncoder().encode(text)
const bytesOfBase64 = (base64: string) => Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))

function writeString(value: string, { choose }: Freedom): string {
  const write = choose(
    (text: string) => JSON.stringify(text),
    (text: string) => `"${[...text].map((one) => escapeCharacter(one, choose('\\u', '\\U'))).join('')}"`,
  )
  return write(value)
}

function escapeCharacter(character: string, form: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const hex = character.charCodeAt(index).toString(16).padStart(4, '0')
    return `\\u${form === '\\u' ? hex : hex.toUpperCase()}`
  }).join('')
}

export function writeJson(expected: Expected, freedom: Freedom): string {
  const space = () => freedom.choose('', ' ', '\r\n\t')
  switch (expected.is) {
    case 'list':
      return `[${expected.items.map((item) => space() + writeJson(item, freedom)).join(`${space()},`)}${space()}]`
    case 'object': {
      const members = freedom.shuffle(Object.entries(expected.members))
      const written = members.map(
        ([name, member]) => `${space()}${writeString(name, freedom)}${space()}:${space()}${writeJson(member, freedom)}`,
      )
      return `{${written.join(`${space()},`)}${space()}}`
    }
    case 'null':
      return 'null'
    case 'boolean':
    case 'integer':
      return String(expected.value)
    case 'number':
      return freedom.choose(String(expected.value), expected.value.toExponential(), expected.value.toPrecision(17))
    case 'instant':
      return writeString(freedom.choose(expected.value, new Date(expected.value).toISOString()), freedom)
    case 'bytes':
      return writeString(writeBytes(expected), freedom)
    case 'text':
      return writeString(expected.value, freedom)
  }
}

const writeBytes = ({ value, alphabet }: Expected & { is: 'bytes' }) =>
  alphabet === 'base64' ? value : value.replaceAll('+', '-').replaceAll('/', '_')

function writePart(part: ExpectedPart, boundary: string, freedom: Freedom): readonly Uint8Array[] {
  const { choose, shuffle } = freedom
  const quoted = choose(`"${part.name}"`, part.name)
  const filename = part.file ? '; filename="a.b"' : ''
  const written = part.file
    ? { type: choose(undefined, 'a/b'), body: bytesOfBase64(part.file.bytes) }
    : part.isJson
      ? { type: undefined, body: bytesOf(writePartText(part, freedom)) }
      : writeText('text/plain', writePartText(part, freedom), freedom)
  const isPlain = !part.file && !part.isJson && written.type === 'text/plain'
  const type = part.contentType ?? (isPlain ? choose(undefined, 'text/plain') : written.type)
  const encoding = choose(undefined, '7bit', '8bit', 'Binary')
  const fields = shuffle<readonly [string, string]>([
    ['Content-Disposition', `form-data;${choose(' ', '\r\n ')}name=${quoted}${filename}`],
    ...(type === undefined ? [] : [['Content-Type', type] as const]),
    ...(encoding === undefined ? [] : [['Content-Transfer-Encoding', encoding] as const]),
    ...Object.entries(part.headers ?? {}).map(([header, { value }]) => [header, value] as const),
  ])
  const head = fields
    .map(([name, value]) => `${choose(name, name.toLowerCase())}:${choose(' ', '')}${value}\r\n`)
    .join('')
  return [bytesOf(`--${boundary}${choose('', ' \t')}\r\n${head}\r\n`), written.body, bytesOf('\r\n')]
}

/** Parts without names, in their order. @param inner The boundary of the parts of a part */
function writeItems(
  items: readonly ExpectedItem[],
  [boundary = '', ...inner]: readonly string[],
  freedom: Freedom,
): Uint8Array {
  const { choose } = freedom
  const pieces = items.flatMap((item) => {
    const { type, body } = writeItem(item, inner, freedom)
    const fields = [
      ...(type === undefined ? [] : [`${choose('Content-Type', 'CONTENT-TYPE')}: ${type}`]),
      ...choose([], ['Content-Disposition: form-data'], ['X-Part: 1']),
    ]
    const head = fields.map((field) => `${field}\r\n`).join('')
    return [bytesOf(`--${boundary}${choose('', ' \t')}\r\n${head}\r\n`), body, bytesOf('\r\n')]
  })
  const [before, after] = [choose('', 'before\r\n'), choose('', '\r\nafter')]
  return join([bytesOf(before), ...pieces, bytesOf(`--${boundary}--${after}`)])
}

function writeItem(
  item: ExpectedItem,
  inner: readonly string[],
  freedom: Freedom,
): { type?: string; body: Uint8Array } {
  const { contentType } = item
  if ('parts' in item)
    return { type: `${contentType}; boundary="${inner[0]}"`, body: writeItems(item.parts, inner, freedom) }
  if (item.isJson) return { type: contentType, body: bytesOf(writeJson(item.expected, freedom)) }
  const text = 'value' in item.expected ? String(item.expected.value) : ''
  const written = writeText(contentType, text, freedom)
  return written.type === 'text/plain' && freedom.choose(true, false) ? { body: written.body } : written
}

function writePartText({ expected, isJson }: ExpectedPart, freedom: Freedom): string {
  if (!expected) return ''
  return isJson ? writeJson(expected, freedom) : 'value' in expected ? String(expected.value) : ''
}

/** A text and its type, with a charset that has its characters. */
function writeText(mediaType: string, text: string, { choose }: Freedom): { type: string; body: Uint8Array } {
  const fits = (last: number) => [...text].every((character) => character.charCodeAt(0) <= last)
  const inUtf16 = (order: 'big' | 'little') => ({ type: `${mediaType}; charset=UTF-16`, body: utf16(text, order) })
  const inLatin1 = (name: string) => ({ type: `${mediaType}; charset=${name}`, body: latin1(text) })
  const write = choose(
    () => ({ type: mediaType, body: bytesOf(text) }),
    () => ({ type: `${mediaType};charset="utf-8"`, body: bytesOf(text) }),
    () => inUtf16('big'),
    () => inUtf16('little'),
    ...(fits(0xff) ? [() => inLatin1('iso-8859-1'), () => inLatin1('Windows-1252')] : []),
    ...(fits(0x7f) ? [() => inLatin1('us-ascii')] : []),
  )
  return write()
}

/** The same document with other prefixes, references, sections, white space, comments and instructions. */
function rewriteXml(xml: string, { choose }: Freedom): string {
  const prefix = choose('g:', 'p.1:', '')
  // White space beside a section would be text.
  if (xml.includes('<![CDATA[')) return xml.replace('><!', () => `>${choose('', '<!-- < & -->', '<?a b?>')}<!`)
  return xml
    .replaceAll(/(<\/?)g:/g, `$1${prefix}`)
    .replace(/ xmlns:g=/, prefix === '' ? ' xmlns=' : ` xmlns:${prefix.slice(0, -1)}=`)
    .replaceAll('><', () => `>${choose('', '\r\n\t', '<!-- < & -->', '<?a b?>')}<`)
    .replaceAll(/>([a-z][^<]*)</g, (whole, text: string) =>
      choose(
        whole,
        `>&#${text.charCodeAt(0)};${text.slice(1)}<`,
        `><![CDATA[${text.slice(0, 1)}]]>${text.slice(1)}<`,
        `>&#x${text.charCodeAt(0).toString(16)};<!-- -->${text.slice(1)}<`,
      ),
    )
    .replaceAll(/"(\d)"/g, (whole, digit: string) => choose(whole, `'${digit}'`, `"&#x3${digit};"`))
}

/** A document in one of the encodings, which its mark, its type or its declaration says (RFC 7303, 3). */
function writeXml(mediaType: string, xml: string, freedom: Freedom): { type: string; body: Uint8Array } {
  const { choose } = freedom
  const document = rewriteXml(xml, freedom)
  const declaration = (name?: string) =>
    `<?xml version='1.0'${name === undefined ? '' : ` encoding="${name}"`}${choose('', ' standalone="yes"')} ?>`
  const typed = (name: string) => `${mediaType}; charset=${name}`
  const before = choose('', '<!-- a -->', '<!DOCTYPE planet>')
  const inUtf16 = (order: 'big' | 'little') => ({
    type: choose(mediaType, typed('utf-16')),
    body: utf16(choose('', declaration(), declaration('utf-16')) + before + document, order),
  })
  const inBytes = (name: string, comment: string) => {
    const [type, first] = choose(
      [mediaType, declaration(name)],
      [typed(name), ''],
      [typed(name), declaration('KOI8-R')],
    )
    return { type, body: latin1(first + before + comment + document) }
  }
  const write = choose(
    () => ({
      type: choose(mediaType, mediaType.toUpperCase(), typed('"UTF-8"')),
      body: bytesOf(choose('', '\uFEFF') + choose('', declaration(), declaration('utf-8')) + before + document),
    }),
    () => inUtf16('big'),
    () => inUtf16('little'),
    () => inBytes('ISO-8859-1', choose('', '<!-- \xE9 -->')),
    () => inBytes('us-ascii', ''),
  )
  return write()
}

/** Puts items in another order, but keeps that of items with one name. */
export function shuffleNamed<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  { shuffle }: Freedom,
): readonly Item[] {
  const queues = new Map<string, Item[]>()
  for (const item of items) queues.set(nameOf(item), [...(queues.get(nameOf(item)) ?? []), item])
  return shuffle(items.map(nameOf)).flatMap((name) => queues.get(name)?.shift() ?? [])
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]))
}

function writeBody(judged: JudgedCase, freedom: Freedom): { type?: string; body: Uint8Array } {
  const { body, wire } = judged
  if (!body || body.as === 'none') return { body: new Uint8Array() }
  const type = freedom.choose(body.mediaType, body.mediaType.toUpperCase(), `${body.mediaType};charset="UTF-8"`)
  switch (body.as) {
    case 'json':
      return { type, body: bytesOf(writeJson(body.expected, freedom)) }
    case 'lines': {
      // A line has no line break.
      const lines = body.items.map((item) => writeJson(item, freedom).replaceAll('\r\n\t', '\t'))
      const end = () => freedom.choose('\n', '\r\n')
      return { type, body: bytesOf(lines.join(end()) + freedom.choose(end(), '')) }
    }
    case 'text':
      return writeText(body.mediaType, body.text, freedom)
    case 'bytes':
      return { type, body: bytesOfBase64(body.bytes) }
    case 'xml':
      return writeXml(body.mediaType, body.xml, freedom)
    case 'form':
      return { type, body: bytesOf(shufflePairs(wire ?? '', freedom)) }
    case 'items': {
      const boundaries = freedom.choose(['a=_b', 'c'], ["'()+_,-./:=?", 'x'.repeat(70)])
      return {
        type: `${body.mediaType}; boundary="${boundaries[0]}"`,
        body: writeItems(body.parts, boundaries, freedom),
      }
    }
    case 'multipart': {
      const boundary = freedom.choose('7MA4YWxkTrZu0gW', "'()+_,-./:=?", 'x'.repeat(70))
      const parts = shuffleNamed(body.parts, ({ name }) => name, freedom)
      const pieces = parts.flatMap((part) => writePart(part, boundary, freedom))
      const [before, after] = [freedom.choose('', 'before\r\n'), freedom.choose('', '\r\nafter')]
      return {
        type: `multipart/form-data; boundary="${boundary}"`,
        body: join([bytesOf(before), ...pieces, bytesOf(`--${boundary}--${after}`)]),
      }
    }
  }
}

const shufflePairs = (query: string, freedom: Freedom) =>
  shuffleNamed(query.split('&'), (pair) => pair.split('=', 1)[0] ?? '', freedom).join('&')

/**
 * A path or a query as a hop may send it on, or as it was before one: hex digits in the other case, unreserved characters
 * encoded, and characters raw that a URL parser encodes by itself.
 */
function reencode(text: string, { choose }: Freedom): string {
  return text.replaceAll(/(?:%[89a-f][\da-f])+|%[\da-f]{2}|[\w.~-]/gi, (one) => {
    if (one.length === 1) return choose(one, one, one, `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    const isEncodedByParsers = /^(?:%2[27]|%3[CE]|%[89A-F].*)$/.test(one)
    return choose(one, one.toLowerCase(), isEncodedByParsers ? decodeURIComponent(one) : one)
  })
}

/** A header as a hop may send it on: with white space around the commas of a list, and beside cookies of others. */
function rewriteHeader(name: string, value: string, { choose }: Freedom): string {
  if (name === 'Cookie') return choose(value, `other=1; ${value}`, `${value}; other="a=b"`)
  return value.replaceAll(',', () => choose(',', ', ', ' ,', '\t,  '))
}

/** What hops add to a request. */
const HOP_HEADERS = [
  ['Accept-Encoding', 'gzip, br'],
  ['Connection', 'close'],
  ['Via', '1.1 proxy'],
  ['X-Forwarded-For', '192.0.2.1'],
] as const

/** Writes the request of a case from what is declared about it. */
export function writeRequest(judged: JudgedCase, freedom: Freedom): Arrived & { headers: Headers } {
  const headers = new Headers()
  let [rest, query] = ['', '']
  const { parameters = [], wire } = judged
  const isSent = wire !== null && parameters.some(({ expected }) => expected)
  const forms = judged.id === 'query/same-name' ? (wire ?? '').split(', ') : [wire ?? '']
  if (isSent && !judged.body) {
    for (const form of forms) {
      const header = /^([\w-]+): (.*)$/s.exec(form)
      if (header) {
        const [, name = '', value = ''] = header
        headers.set(freedom.choose(name, name.toUpperCase()), rewriteHeader(name, value, freedom))
      } else if (judged.id.startsWith('path/')) {
        const slash = freedom.choose('/', '//')
        rest = freedom.choose('/', '//') + reencode(form, freedom).replaceAll('/', slash)
      } else if (form.startsWith('path ')) rest = `/${form.slice('path '.length)}`
      else query = reencode(shufflePairs(form, freedom), freedom)
    }
  }
  for (const [name, value] of HOP_HEADERS) if (freedom.choose(false, true)) headers.set(name, value)
  const { type, body } = writeBody(judged, freedom)
  if (type !== undefined) headers.set('Content-Type', type)
  return { method: judged.method, rest, query, headers, body }
}
