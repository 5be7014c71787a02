import { SECRET_PREFIX as SIGNING_SECRET_PREFIX } from './webhook-keys.ts'

/** The beginning of an API key. Secret scanners know it. */
export const API_KEY_PREFIX = 'glx_'
/** Characters of a secret of `makeSecret` (src/auth/secrets.ts): 32 bytes in base64url. */
const SECRET_LENGTH = 43
/** Letters and digits of an escape that is not decoded here may stand beside a secret: `\n`, `=3D`. */
const BESIDE_MAX = 5

/**
 * What credentials look like. The group `hidden` is masked, or all if there is none. Each expression takes linear time:
 * where it fails, it has not read what the next attempt reads again.
 */
const FORMS: readonly RegExp[] = [
  new RegExp(`${API_KEY_PREFIX}\\w+`, 'g'),
  new RegExp(`${SIGNING_SECRET_PREFIX}[\\w+/-]+=*`, 'g'),
  // What RFC 9110 (section 11.2) calls token68. In a form, the space is a plus sign.
  /(?:basic|bearer)[\s+]+(?<hidden>[\w\-.~+/]+=*)/gi,
]
/** Words with dots, among which a compact JWT may be (RFC 7515, section 3.1). */
const DOTTED = /[\w-]+(?:\.[\w-]*)*/g
/** An object begins like this in base64url. */
const JWT_START = 'eyJ'
/** Words, among which a secret of `makeSecret` may be. Four dashes only stand before the boundary of a form. */
const WORD = /(?:-{0,3}\w)+-{0,3}/g

/** ASCII as URLs, JSON and XML may write it, and the NUL that UTF-16 adds to each character. */
const ESCAPE =
  /%(?<url>[0-7][\da-f])|(?<!\\)\\+(?:u00(?<json>[0-7][\da-f])|\/)|&#(?:x0*(?<xml>[\da-f]{1,2})|0*(?<decimal>\d{1,3}));|\0+/gi
/** Quoted-printable (RFC 2045, 6.7) breaks long lines, and escapes any byte. */
const QUOTED_PRINTABLE = /=(?:\r?\n|(?<url>[0-7][\da-f]))/gi
/** An escape may be escaped again. */
const ESCAPED_TIMES_MAX = 4

/** A text, decoded, and where in the original each of its characters begins and ends. */
interface View {
  text: string
  starts: ArrayLike<number>
  ends: ArrayLike<number>
}

/**
 * Masks every character of this service's credentials with `*`: API keys, JWTs, other tokens, codes and secrets, signing
 * secrets, and what follows `Basic` or `Bearer`. They are found also where they are percent-encoded, escaped in JSON or
 * XML, in UTF-16, or in base64. The length stays, so an offset stays too. Takes linear time.
 *
 * @param text A text, or bytes with a character (U+0000 to U+00FF) for each
 * @returns The same text if there are none
 */
export function maskCredentials(text: string): string {
  const places = Uint32Array.from({ length: text.length + 1 }, (_, index) => index)
  const masked = new Uint8Array(text.length)
  const decoded = scan({ text, starts: places, ends: places.subarray(1) }, masked)
  // Base64 may begin in any place of a word.
  for (let skipped = 0; skipped < 4; skipped++) scan(decodeBase64(decoded, skipped), masked)
  if (!masked.includes(1)) return text
  return Array.from(masked, (isMasked, index) => (isMasked ? '*' : text.charAt(index))).join('')
}

/** Marks the credentials in a text, escaped or not. @returns The text without escapes */
function scan(view: View, masked: Uint8Array): View {
  mark(view, masked)
  // Elsewhere, an equals sign before the end of a line is that of base64.
  if (/quoted-printable/i.test(view.text)) mark(withoutEscapes(view, QUOTED_PRINTABLE), masked)
  let decoded = view
  for (let times = 0; times < ESCAPED_TIMES_MAX && decoded.text.search(ESCAPE) >= 0; times++) {
    decoded = withoutEscapes(decoded)
    mark(decoded, masked)
  }
  return decoded
}

function mark({ text, starts, ends }: View, masked: Uint8Array): void {
  const markUntil = (to: number, { length }: string) => {
    for (let index = to - length; index < to; index++) masked.fill(1, starts[index], ends[index])
  }
  for (const form of FORMS) {
    for (const { 0: match, index, groups } of text.matchAll(form)) {
      const { hidden = match } = groups ?? {}
      markUntil(index + match.length, hidden)
    }
  }
  for (const { 0: match, index } of text.matchAll(DOTTED)) {
    const start = match.indexOf(JWT_START)
    if (start >= 0 && match.includes('.', start)) markUntil(index + match.length, match.slice(start))
  }
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const { length } = word
    // Digests in hexadecimal are in one case, and files in base64 are longer.
    const isSecret = length >= SECRET_LENGTH && length <= SECRET_LENGTH + BESIDE_MAX
    if (isSecret && /[a-z]/.test(word) && /[A-Z]/.test(word)) markUntil(index + length, word)
  }
}

/** More arguments than this may be too many for one call. */
const CODES_AT_ONCE = 8192

class ViewBuilder {
  readonly #codes: Uint16Array
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  #length = 0

  /** @param lengthMax How many characters there can be */
  constructor(lengthMax: number) {
    this.#codes = new Uint16Array(lengthMax)
    this.#starts = new Uint32Array(lengthMax)
    this.#ends = new Uint32Array(lengthMax)
  }

  /** @param start The place of the character in the original: from here to before `end` */
  add(code: number, start = 0, end = 0): void {
    this.#codes[this.#length] = code
    this.#starts[this.#length] = start
    this.#ends[this.#length] = end
    this.#length++
  }

  build(): View {
    const pieces: string[] = []
    for (let from = 0; from < this.#length; from += CODES_AT_ONCE) {
      const to = Math.min(from + CODES_AT_ONCE, this.#length)
      // To spread a typed array takes several times as long.
      pieces.push(Reflect.apply(String.fromCharCode, undefined, this.#codes.subarray(from, to)))
    }
    return { text: pieces.join(''), starts: this.#starts, ends: this.#ends }
  }
}

const SLASH = 0x2f

function withoutEscapes({ text, starts, ends }: View, pattern = ESCAPE): View {
  const builder = new ViewBuilder(text.length)
  let from = 0
  const copy = (to: number) => {
    for (; from < to; from++) builder.add(text.charCodeAt(from), starts[from], ends[from])
  }
  for (const { 0: written, index, groups } of text.matchAll(pattern)) {
    copy(index)
    from = index + written.length
    const { url, json, xml, decimal } = groups ?? {}
    const hex = url ?? json ?? xml
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    // The two without a code are the slash of JSON, and NULs, which are left out.
    if (!Number.isNaN(code)) builder.add(code, starts[index], ends[from - 1])
    else if (written.endsWith('/')) builder.add(SLASH, starts[index], ends[from - 1])
  }
  copy(text.length)
  return builder.build()
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const NO_DIGIT = 64
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
/** The digits of base64 and base64url (RFC 4648, sections 4 and 5). */
const VALUES = Uint8Array.from({ length: 256 }, (_, code) => {
  const digit = String.fromCharCode(code)
  const value = '+-'.includes(digit) ? 62 : '/_'.includes(digit) ? 63 : DIGITS.indexOf(digit)
  return value < 0 ? NO_DIGIT : value
})

/**
 * Decodes each word that may be base64, in lines too.
 *
 * @param skipped How many digits at the beginning of each are not part of it
 */
function decodeBase64({ text, starts, ends }: View, skipped: number): View {
  const builder = new ViewBuilder(text.length)
  let digits = -skipped
  let bits = 0
  let before = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const value = VALUES[code] ?? NO_DIGIT
    if (value === NO_DIGIT) {
      if (code === LINE_FEED || code === CARRIAGE_RETURN) continue
      // What are two words here is not one word in the result.
      builder.add(LINE_FEED)
      digits = -skipped
      continue
    }
    bits = (bits << 6) | value
    // Of four digits, all but the first complete a byte, which begins in the digit before.
    const place = Math.max(digits, 0) % 4
    if (place > 0) builder.add((bits >> (6 - 2 * place)) & 0xff, starts[before], ends[index])
    before = index
    digits++
  }
  return builder.build()
}
