import { type Part, quote, report } from './part.ts'
import { type Bytes, type Slice, trim } from './text.ts'

/** A parameter of a header field: its value without quotes, and where it begins. */
export interface FieldParameter {
  value: Bytes
  at: number
}

/** Something about the parameters of a field that is not as its grammar says. */
interface FieldFault {
  kind: 'fail' | 'nonStrict'
  at: number
  reason: string
  /** The name of the parameter that it is about, in lower case; empty if none can be read. */
  name: string
}

/** A value of a header field with parameters, such as `text/plain; charset=utf-8`. */
export interface Field {
  /** What is before the parameters, in lower case. */
  value: Bytes
  at: number
  /** By name, in lower case. Of two with one name the first. */
  parameters: ReadonlyMap<string, FieldParameter>
  faults: readonly FieldFault[]
}

/** The grammar of a field. In that of HTTP, a parameter may be left out between semicolons (RFC 9110, 5.6.6). */
export type FieldRules = 'http' | 'mime'

const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
/** A name, then an equals sign with what is around it. A folded line is white space. */
const NAME = /([^;=" \t\r\n]*)([ \t\r\n]*)(?:=([ \t\r\n]*))?/y
/** A quoted string (RFC 9110, 5.6.4; RFC 822, 3.3), or a text up to the next semicolon. */
const VALUE = /"((?:[^"\\]|\\.)*)"[ \t\r\n]*(?=;|$)|([^;"]*)(?=;|$)/sy

/**
 * Reads a value with parameters (RFC 9110, 5.6.6; RFC 2183, 2). What follows something that cannot be read is not read.
 * @param field Its name, in a sentence
 */
export function readField(bytes: Bytes, whole: Slice, rules: FieldRules, field: string): Field {
  const text = bytes.slice(...whole)
  const semicolon = text.indexOf(';')
  const [at, end] = trim(bytes, [whole[0], semicolon < 0 ? whole[1] : whole[0] + semicolon])
  const parameters = new Map<string, FieldParameter>()
  const faults: FieldFault[] = []
  let position = semicolon < 0 ? text.length : semicolon
  while (position < text.length) {
    const [start] = trim(text, [position + 1, text.length])
    const note = (kind: FieldFault['kind'], index: number, name: string, problem: string) =>
      faults.push({ kind, at: whole[0] + index, name, reason: problem })
    if (start === text.length || text.charAt(start) === ';') {
      if (rules === 'mime') {
        const isLast = start === text.length
        note(isLast ? 'nonStrict' : 'fail', position, '', `A semicolon in the ${field} comes before no parameter.`)
        if (!isLast) break
      }
      position = start
      continue
    }
    const [before = '', name = '', beforeEquals = '', afterEquals] = matchAt(NAME, text, start) ?? []
    const key = name.toLowerCase()
    const valueAt = start + before.length
    const [value, quoted, token = ''] = (afterEquals === undefined ? null : matchAt(VALUE, text, valueAt)) ?? []
    if (value === undefined || !TOKEN.test(name) || (quoted === undefined && token.trim() === '')) {
      note('fail', start, key, `The parameter ${quote(name)} of the ${field} cannot be read.`)
      break
    }
    if (beforeEquals || afterEquals)
      note(
        'nonStrict',
        start + name.length,
        key,
        `White space is around the equals sign of ${quote(name)} in the ${field}.`,
      )
    if (parameters.has(key)) note('fail', start, key, `The parameter ${quote(name)} of the ${field} is there twice.`)
    else if (quoted === undefined) {
      const slice = trim(text, [valueAt, valueAt + token.length])
      parameters.set(key, { value: text.slice(...slice), at: whole[0] + slice[0] })
      if (!TOKEN.test(text.slice(...slice)))
        note('nonStrict', slice[0], key, `The value of ${quote(name)} in the ${field} has characters that need quotes.`)
    } else parameters.set(key, { value: quoted.replace(/\\(.)/gs, '$1'), at: whole[0] + valueAt + 1 })
    position = valueAt + value.length
  }
  return { value: bytes.slice(at, end).toLowerCase(), at, parameters, faults }
}

function matchAt(pattern: RegExp, text: Bytes, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

/** Notes what is wrong with a field. @param names Only the faults of these parameters, and those of none, count */
export function reportFaults(part: Part, { faults }: Field, names?: readonly string[]): void {
  for (const { kind, at, reason, name } of faults) {
    if (!names || names.includes(name)) report(part, kind, at, reason)
  }
}
