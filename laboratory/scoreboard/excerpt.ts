import type { Cell } from './results.ts'

/** How many bytes are shown before the difference, and after it. */
const BYTES_BEFORE = 60
const BYTES_AFTER = 60

/**
 * What was sent, in one line: all of it, or the bytes around the difference. Control characters are written as in JSON,
 * bytes that are no text as `\xff`.
 *
 * @returns Undefined if nothing came
 */
export function excerptOf({ received, encoding, at = 0 }: Cell): string | undefined {
  if (received === undefined) return undefined
  const bytes = bytesOf(received, encoding)
  const isCharacter = (byte: number | undefined) =>
    byte === undefined || encoding === 'base64' || (byte & 0xc0) !== 0x80
  let from = bytes.length <= BYTES_BEFORE + BYTES_AFTER ? 0 : Math.max(at - BYTES_BEFORE, 0)
  let to = Math.min(bytes.length, Math.max(at, BYTES_BEFORE) + BYTES_AFTER)
  while (!isCharacter(bytes[from])) from++
  while (!isCharacter(bytes[to])) to++
  const shown = write(bytes.subarray(from, to), encoding)
  return `${from > 0 ? '…' : ''}${shown}${to < bytes.length ? '…' : ''}`
}

/** All of what was sent, written in the same way. @returns Undefined if nothing came */
export const textOf = ({ received, encoding }: Cell) =>
  received === undefined ? undefined : write(bytesOf(received, encoding), encoding)

/** The build runs on a Node that has no `Uint8Array.fromBase64`. */
const bytesOf = (received: string, encoding: Cell['encoding']) =>
  encoding === 'base64'
    ? Uint8Array.from(atob(received), (one) => one.charCodeAt(0))
    : new TextEncoder().encode(received)

const write = (bytes: Uint8Array, encoding: Cell['encoding']) =>
  encoding === 'base64' ? writeBytes(bytes) : escapeControls(new TextDecoder().decode(bytes))

const writeBytes = (bytes: Uint8Array) =>
  escapeControls(String.fromCharCode(...bytes)).replaceAll(/[\u0080-\u00ff]/g, hexOf)

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
const CONTROLS = /[\u0000-\u001f\u007f]/g
const NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A text in one line, with control characters as `excerptOf` writes them. */
export const escapeControls = (text: string) => text.replaceAll(CONTROLS, (one) => NAMES[one] ?? hexOf(one))

const hexOf = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
