import { type Part, quote, report } from './part.ts'
import { type Bytes, type Slice, trim } from './text.ts'

/** A parameter of a header field: its value without quotes, and where it begins. */
export interface FieldParameter {
  value: Bytes
  at: number
}

/** A value of a header field with parameters, such as `text/plain; charset=utf-8`. */
export interface Field {
  /** What is before the parameters, in lower case. */
  value: Bytes
  at: number
  /** By name, in lower case. */
  parameters: ReadonlyMap<string, FieldParameter>
}

/** A parameter: a token, or a quoted string (RFC 9110, 5.6.6; RFC 2183, 2). A folded line is white space. */
const PARAMETER = /;[ \t\r\n]*([^;= \t\r\n]*)[ \t\r\n]*(?:=[ \t\r\n]*(?:"((?:[^"\\]|\\[\s\S])*)"?|([^;]*)))?/y

/** Reads a value with parameters. It is tolerant. Of two parameters with one name the first counts. */
export function readField(bytes: Bytes, whole: Slice): Field {
  const text = bytes.slice(...whole)
  const semicolon = text.indexOf(';')
  const [at, end] = trim(bytes, [whole[0], semicolon < 0 ? whole[1] : whole[0] + semicolon])
  const parameters = new Map<string, FieldParameter>()
  let from = semicolon
  while (from >= 0) {
    PARAMETER.lastIndex = from
    const [matched = '', name = '', quoted, token] = PARAMETER.exec(text) ?? []
    const key = name.toLowerCase()
    if (!parameters.has(key)) {
      const end = whole[0] + from + matched.length
      const slice = trim(bytes, [end - (token ?? '').length, end])
      const at = quoted === undefined ? slice[0] : whole[0] + text.indexOf('"', from) + 1
      parameters.set(key, { value: quoted?.replace(/\\([\s\S])/g, '$1') ?? bytes.slice(...slice), at })
    }
    from = text.indexOf(';', from + Math.max(1, matched.length))
  }
  return { value: bytes.slice(at, end).toLowerCase(), at, parameters }
}

/** Characters of a boundary (RFC 2046, 5.1.1). */
const BOUNDARY = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/

/** Compares the header `Content-Type` of a request. @returns The boundary, if there should be one and it is legal */
export function compareContentType(part: Part, expected: string): string | undefined {
  const { received } = part
  const field = readField(received, [0, received.length])
  if (field.value !== expected) {
    report(
      part,
      'fail',
      field.at,
      received === ''
        ? 'The body has no Content-Type.'
        : `The Content-Type is ${quote(field.value)}, not "${expected}".`,
    )
  }
  const charset = field.parameters.get('charset')
  if (charset && !/^utf-?8$/i.test(charset.value)) {
    report(part, 'fail', charset.at, `The charset is ${quote(charset.value)}, not UTF-8.`)
  }
  if (!expected.startsWith('multipart/')) return undefined
  const boundary = field.parameters.get('boundary')
  if (!boundary) report(part, 'fail', received.length, 'The Content-Type names no boundary.')
  else if (!BOUNDARY.test(boundary.value))
    report(part, 'fail', boundary.at, `${quote(boundary.value)} is no boundary of RFC 2046.`)
  else return boundary.value
  return undefined
}
