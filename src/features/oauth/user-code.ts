// The code that a device shows and its user types (RFC 8628, section 6.1).

/** Consonants only, so that a code is no word. None is easily taken for another. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
/** Bytes from here on would make the first letters of `LETTERS` more frequent. */
const BYTES_END = 256 - (256 % LETTERS.length)

export function makeUserCode(): string {
  let code = ''
  while (code.length < LENGTH) {
    const [byte = BYTES_END] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < BYTES_END) code += LETTERS.charAt(byte % LETTERS.length)
  }
  return code
}

/** A code as people read it: `WDJB-MJHT`. */
export function showUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/** A code as it is stored. Case, spaces and hyphens of any kind do not count. */
export function readUserCode(text: string): string {
  return text.replaceAll(/[\s\p{Dash}]/gu, '').toUpperCase()
}
