import { PASSWORD_MAX } from '../domain/limits.ts'

/**
 * Every form of a password that has at most PASSWORD_MAX characters in one form has at most this many UTF-16 code
 * units: a canonical decomposition has at most 4 characters, of 2 code units each.
 */
const UNITS_MAX = PASSWORD_MAX * 4 * 2

/**
 * Maps a password to the text that is compared, by the profile OpaqueString (RFC 8265, section 4.2): spaces become
 * U+0020, and the text is normalised to NFC. So a password matches wherever it is typed: macOS sends some letters in
 * another normalization than Windows, and some keyboards other spaces. Nothing is refused here, whatever the profile
 * disallows, because older passwords may contain it.
 */
export function preparePassword(password: string): string {
  // A longer text is no account's password. To normalise a long text of combining characters takes quadratic time.
  if (password.length > UNITS_MAX) return password
  return password.replaceAll(/\p{Zs}/gu, ' ').normalize('NFC')
}
