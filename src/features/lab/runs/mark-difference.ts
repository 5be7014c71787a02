import { decodeUtf8 } from '../../../lib/text.ts'
import type { LabResult } from '../../../schemas/lab-run.ts'

/** What was sent, in three parts: the second one is the character where the difference begins, or empty. */
export interface MarkedText {
  before: string
  marked: string
  after: string
  /** What a reader has to know about the text, after the word "Sent"; often empty. */
  note: string
}

/** The bytes of the part that was judged that are kept. */
const KEPT_BYTES = 2048
/** How many bytes of something that is no text are shown before the difference, and in total. */
const BYTES_BEFORE = 16
const BYTES_SHOWN = 64
/** Stands for what is missing at the end. */
const END = '⟨end⟩'

/** Marks the byte where what was sent and what was expected part. @returns Undefined if nothing was kept */
export function markDifference({ received, encoding, at }: LabResult): MarkedText | undefined {
  if (received === null) return undefined
  return encoding === 'base64' ? markBytes(Uint8Array.fromBase64(received), at) : markText(received, at)
}

function markText(received: string, at: number | null): MarkedText {
  const bytes = new TextEncoder().encode(received)
  if (at === null) return { before: visible(received), marked: '', after: '', note: received === '' ? ': nothing' : '' }
  if (at >= bytes.byteLength) return atEnd(visible(received), bytes.byteLength, at)
  const start = decodeUtf8(bytes.subarray(0, at), true) ?? ''
  const [character = ''] = received.slice(start.length)
  const after = received.slice(start.length + character.length)
  return { before: visible(start), marked: visible(character, '␊'), after: visible(after), note: `, byte ${at}` }
}

function markBytes(bytes: Uint8Array, at: number | null): MarkedText {
  const from = Math.max((at ?? 0) - BYTES_BEFORE, 0)
  const hex = (start: number, end: number) => [...bytes.subarray(start, end)].map(hexOf).join(' ')
  const to = from + BYTES_SHOWN
  const note = `: bytes from ${from}, in hexadecimal${at === null ? '' : `, byte ${at}`}`
  if (at === null) return { before: hex(from, to), marked: '', after: '', note }
  if (at >= bytes.byteLength) return { ...atEnd(`${hex(from, to)} `, bytes.byteLength, at), note }
  const before = at > from ? `${hex(from, at)} ` : ''
  return { before, marked: hex(at, at + 1), after: ` ${hex(at + 1, to)}`, note }
}

/** The difference is after everything that is kept, or something is missing at the end. */
function atEnd(before: string, length: number, at: number): MarkedText {
  const isKept = length < KEPT_BYTES
  const note = isKept ? `, byte ${at}` : `: the first ${length} bytes; they part at byte ${at}`
  return { before, marked: isKept ? END : '', after: '', note }
}

const hexOf = (byte: number) => byte.toString(16).padStart(2, '0')

/** Shows control characters by their pictures (U+2400 and those that follow), because a page cannot contain them. */
function visible(text: string, lineBreak = '\n'): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
      .replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, (one) => String.fromCharCode(0x2400 + one.charCodeAt(0)))
      .replaceAll('\u007f', '␡')
      .replaceAll('\n', lineBreak)
      .replaceAll(/[\u0080-\u009f\ufffe\uffff]/g, '\ufffd')
  )
}
