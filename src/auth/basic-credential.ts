import { decodeUtf8 } from '../lib/text.ts'

/** What `Authorization: Basic` carries, still encoded; undefined where there is no such header. */
export function locateBasic(headers: Headers): string | undefined {
  const match = /^Basic(?: +(.*))?$/i.exec(headers.get('Authorization') ?? '')
  return match ? (match[1] ?? '') : undefined
}

/**
 * The user id and the password in it: base64, UTF-8, and a colon between them, the first one (RFC 7617, section 2).
 *
 * @returns Undefined where it cannot be read
 */
export function readBasic(credential: string): { userId: string; password: string } | undefined {
  try {
    const text = decodeUtf8(Uint8Array.fromBase64(credential))
    const [, userId, password] = /^([^:]*):(.*)$/s.exec(text ?? '') ?? []
    return userId === undefined || password === undefined ? undefined : { userId, password }
  } catch {
    return undefined
  }
}
