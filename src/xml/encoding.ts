import { malformed } from './malformed.ts'
import { readDeclaration } from './tokens.ts'

// The encoding of a document (XML 1.0, section 4.3.3 and appendix F; RFC 7303, section 3). The byte order mark, or
// without one the first two bytes, show in which units the document is written. Every name that the document or its
// Content-Type gives to the encoding must agree with that.

/** How the characters of a document are written. US-ASCII is a part of UTF-8. */
type Units = 'utf-8' | 'utf-16be' | 'utf-16le'

/** Registry: the names of encodings that documents can have, in lower case (IANA Character Sets). */
const NAMES: ReadonlyMap<string, readonly Units[]> = new Map([
  ['utf-8', ['utf-8']],
  ['utf-16', ['utf-16be', 'utf-16le']],
  ['utf-16be', ['utf-16be']],
  ['utf-16le', ['utf-16le']],
])

/** The names of US-ASCII, in lower case (IANA Character Sets). */
export const ASCII_NAMES: ReadonlySet<string> = new Set([
  'us-ascii',
  'ascii',
  'ansi_x3.4-1968',
  'ansi_x3.4-1986',
  'iso_646.irv:1991',
  'iso646-us',
  'iso-ir-6',
  'us',
  'ibm367',
  'cp367',
  'csascii',
])

/**
 * Decodes a document in UTF-8, UTF-16 or US-ASCII.
 *
 * @param charset The name of the encoding in the Content-Type; undefined if there is none
 * @returns The text without its byte order mark
 * @throws ProblemError 400 if the encoding is another one, if it contradicts a name, or if the bytes are not valid
 */
export function decodeXmlBytes(bytes: Uint8Array, charset: string | undefined): string {
  const { units, hasMark } = findUnits(bytes)
  const text = decode(bytes, units)
  // Content-Types may have this spelling, as in JSON.
  const sent = charset?.replace(/^utf8$/i, 'utf-8')
  const names = [sent, readDeclaration(text)?.encoding].filter((name) => name !== undefined)
  for (const name of names) requireAgreement(name, units, text, hasMark)
  // Only the mark or a name says that other parsers may read a document as UTF-16 (section 4.3.3).
  if (units !== 'utf-8' && !hasMark && names.length === 0)
    throw malformed('it is in UTF-16, but has neither a byte order mark nor a declaration that says so')
  return text
}

/** In which units a document is written. A character U+0000 is not allowed, so its bytes show which half is which. */
function findUnits([first, second, third]: Uint8Array): { units: Units; hasMark: boolean } {
  if (first === 0xfe && second === 0xff) return { units: 'utf-16be', hasMark: true }
  if (first === 0xff && second === 0xfe) return { units: 'utf-16le', hasMark: true }
  if (first === 0 && second !== 0 && second !== undefined) return { units: 'utf-16be', hasMark: false }
  if (first !== 0 && second === 0) return { units: 'utf-16le', hasMark: false }
  return { units: 'utf-8', hasMark: first === 0xef && second === 0xbb && third === 0xbf }
}

/** @throws ProblemError 400 if the bytes are not in these units */
function decode(bytes: Uint8Array, units: Units): string {
  try {
    return new TextDecoder(units, { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw malformed(`it is not valid ${units.toUpperCase()}`)
  }
}

/** @throws ProblemError 400 if the bytes of the text are not in the encoding that the name says */
function requireAgreement(name: string, units: Units, text: string, hasMark: boolean): void {
  const known = name.toLowerCase()
  const isAscii = ASCII_NAMES.has(known)
  const possible = NAMES.get(isAscii ? 'utf-8' : known)
  const shown = name.slice(0, NAME_SHOWN_MAX)
  if (!possible) throw malformed(`its encoding must be UTF-8, UTF-16 or US-ASCII, and not "${shown}"`)
  if (!possible.includes(units)) throw malformed(`its encoding is called ${shown}, but it is in ${units.toUpperCase()}`)
  if (isAscii && (hasMark || !ASCII.test(text)))
    throw malformed(`its encoding is called ${shown}, but it has other characters`)
}

export const ASCII = /^[\0-\x7f]*$/
/** Maximum number of characters of a name that an error quotes. */
const NAME_SHOWN_MAX = 100
