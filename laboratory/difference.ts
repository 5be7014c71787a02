import type { JudgedCase, PartName } from './case.ts'
import { partOf } from './judge/shown-part.ts'

// What was received and what was expected, side by side: each in one line, so that both begin at the same byte.

/** How many bytes are shown before the difference, and after it. On a phone, the difference is in sight. */
const BYTES_BEFORE = 20
const BYTES_AFTER = 60

/** A line about bytes. Control characters are written as in JSON, and bytes that are no text as `\xff`. */
export interface Line {
  /** Whether bytes before it, or after it, are left out. */
  isCutBefore: boolean
  isCutAfter: boolean
  before: string
  /** The character where the difference begins; `⟨end⟩` if the line ends there. Empty if nothing is marked. */
  marked: string
  after: string
}

/** What was received and what was expected. A text in place of a line says it in words. */
export interface Difference {
  received: Line | string
  /** Null if nothing is expected, or if there is no form to compare with. */
  expected: Line | string | null
  /** Whether what was received is no text. */
  isBinary: boolean
  /** The byte of what was received where they part, counted from 0. */
  at: number | null
}

/** What was judged, as a verdict has it. */
export interface Received {
  /** Absent: the part that the case is about. */
  part?: PartName | null | undefined
  /** Its first bytes. The difference may be behind them. */
  received: string | null
  encoding: string | null
  at: number | null
}

/** The marks of the end of a line. */
export const END = '⟨end⟩'

/**
 * Lays what was received beside what was expected. Both sides begin with the name of the header, if one was judged.
 *
 * @returns Undefined if no part was judged
 */
export function compareSides(
  judged: Pick<JudgedCase, 'id' | 'parameters' | 'accepts' | 'wire' | 'forms'>,
  { part = partOf(judged), received, encoding, at }: Received,
): Difference | undefined {
  if (received === null || part === null) return undefined
  const bytes = bytesOf(received, encoding)
  const form = judged.forms?.[part]
  const prefix = prefixOf(part)
  const from = at === null ? 0 : Math.max(at - BYTES_BEFORE, 0)
  const lineOf = (side: Uint8Array, isText: boolean) => withPrefix(prefix, cutLine(side, isText, from, at))
  const line = lineOf(bytes, encoding === null)
  // Behind the bytes that were kept, nothing is marked.
  const isBehind = at !== null && at > bytes.length
  return {
    received: bytes.length === 0 ? nothing(part) : isBehind ? { ...line, marked: '', isCutAfter: true } : line,
    expected: form ? lineOf(bytesOf(form.text, form.encoding), form.encoding === null) : inWords(part, judged.wire),
    isBinary: encoding === 'base64',
    at: bytes.length === 0 ? null : at,
  }
}

/** What stands before the value of a header. */
function prefixOf(part: PartName): string {
  if (part === 'cookie') return 'Cookie: '
  return part.startsWith('header ') ? `${nameOfHeader(part)}: ` : ''
}

/** The name of a header as people write it. */
function nameOfHeader(part: PartName): string {
  return part.replace('header ', '').replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

function nothing(part: PartName): string {
  if (part === 'cookie') return 'no cookie of the case'
  if (part === 'path') return 'nothing after the name of the case'
  return part.startsWith('header ') ? `no ${nameOfHeader(part)}` : `no ${part}`
}

function inWords(part: PartName, wire: string | null): string | null {
  if (part === 'header content-encoding') return 'no Content-Encoding'
  if (part === 'header content-type') return 'no Content-Type'
  return wire === null ? null : escapeControls(wire)
}

const withPrefix = (prefix: string, line: Line): Line => ({ ...line, before: prefix + line.before })

/** The bytes around the difference, or the first ones if there is none. */
function cutLine(bytes: Uint8Array, isText: boolean, from: number, at: number | null): Line {
  const startOf = (index: number) => {
    let start = Math.min(index, bytes.length)
    while (isText && start > 0 && isContinuation(bytes[start])) start--
    return start
  }
  // A line that ends before is shown by its end.
  const first = startOf(Math.min(from, Math.max(bytes.length - BYTES_BEFORE, 0)))
  const last = startOf(Math.max(at ?? 0, BYTES_BEFORE) + BYTES_AFTER)
  const write = (start: number, end: number) => writeBytes(bytes.subarray(start, end), isText)
  const cut = { isCutBefore: first > 0, isCutAfter: last < bytes.length }
  if (at === null) return { ...cut, before: write(first, last), marked: '', after: '' }
  if (at >= bytes.length) return { ...cut, before: write(first, bytes.length), marked: END, after: '' }
  const start = startOf(at)
  let end = start + 1
  while (isText && end < bytes.length && isContinuation(bytes[end])) end++
  return { ...cut, before: write(first, start), marked: write(start, end), after: write(end, last) }
}

/** Whether a byte is a later one of a character in UTF-8. */
const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** Not `Uint8Array.fromBase64`, which the Node of the build does not have. */
export function bytesOf(text: string, encoding: string | null | undefined): Uint8Array {
  if (encoding !== 'base64') return new TextEncoder().encode(text)
  return Uint8Array.from(atob(text), (one) => one.charCodeAt(0))
}

/** Bytes in one line. */
export function writeBytes(bytes: Uint8Array, isText: boolean): string {
  if (isText) return escapeControls(new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes))
  return escapeControls(String.fromCharCode(...bytes)).replaceAll(/[\u0080-\u00ff]/g, hexOf)
}

const NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A text in one line, without characters that cannot be seen, or that change the order of others. */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Cs}]/gu, (one) => NAMES[one] ?? hexOf(one))
}

function hexOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}
