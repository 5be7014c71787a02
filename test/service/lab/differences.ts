import type { ReferenceClient } from './reference/client.ts'

// How lists say what the laboratory finds in the requests of broken clients.

/**
 * A verdict other than `pass`, and what was sent before the first difference: its length is `at`. A body that holds NUL, or
 * is no UTF-8, has a character for each byte here.
 */
export type Difference = readonly [verdict: string, before: string | null]

export const fail = (before: string): Difference => ['fail', before]
export const tolerated = (before: string): Difference => ['non-strict', before]
/** Of an open case: no PUT came. */
export const REFUSED: Difference = ['info', null]
/** A time, a key that changed or a method has no byte. */
export const FAILED: Difference = ['fail', null]
export const INCOMPLETE: Difference = ['incomplete', null]
/** A client may leave a redirect alone. */
export const NOT_FOLLOWED: Difference = ['info', null]
export const NOT_RETRIED: Difference = ['info', null]

/** The same difference in several cases. */
export const each = (difference: Difference, ...ids: string[]) => Object.fromEntries(ids.map((id) => [id, difference]))

export const DELIMITER = '--reference\r\n'
export const part = (head: string, content: string) => `${DELIMITER}${head}\r\n${content}\r\n`
export const headOf = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}\r\n`
export const fileHead = (name: string, filename: string, type = 'application/octet-stream') =>
  `${headOf(name, `; filename="${filename}"`)}Content-Type: ${type}\r\n`
export const namelessHead = (name: string, type = 'application/octet-stream') =>
  `${DELIMITER}${headOf(name)}Content-Type: ${type}\r\n`

/** The bytes 0 to 255. */
export const ALL_BYTES = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
/** The first part of `multipart/file-and-json`. */
export const FILE_PART = part(fileHead('file', 'bytes.bin'), ALL_BYTES)

export const JSON_PART_HEAD = 'Content-Type: application/json\r\n\r\n'

export interface BrokenClient {
  habit: string
  Client: typeof ReferenceClient
  /** The verdicts of core and extended cases that are not `pass`, and the open cases whose response was refused. */
  differences: Readonly<Record<string, Difference>>
}
