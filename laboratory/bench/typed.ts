import type { BenchRequest } from './request.ts'

// What people type, or paste, into the fields of a bench, as the request that they mean.

/** The texts of the fields. */
export interface TypedTexts {
  /** Method and path. Also a URL, a path alone, or a request line of HTTP. */
  line: string
  /** A header on each line. */
  headers: string
  body: string
}

export interface Typed {
  request: BenchRequest
  /** The case that the path names. There may be no such case. Undefined if the path names none. */
  caseId: string | undefined
  /** The first line of the headers that is no header. It is not in the request. */
  noHeader: string | undefined
}

/** The cases on the bench, and the method of a line without one. */
interface Surroundings {
  ids: readonly string[]
  method: string
}

export function readTyped({ line, headers, body }: TypedTexts, surroundings: Surroundings): Typed {
  const { method, target } = readLine(line, surroundings)
  const lines = headers
    .split('\n')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  return {
    request: { method, target, headers: lines.filter((text) => HEADER.test(text)).map(readHeader), body },
    caseId: caseIdOf(target),
    noHeader: lines.find((text) => !HEADER.test(text)),
  }
}

/** The case that a path below the bench names. Hops make one slash of several. */
export function caseIdOf(target: string): string | undefined {
  const [, group, name] = /^\/+([^/?#]+)\/+([^/?#]+)/.exec(target) ?? []
  return name === undefined ? undefined : `${group}/${name}`
}

const HEADER = /^[\w!#$%&'*+.^`|~-]+[ \t]*:/

function readHeader(text: string): [name: string, value: string] {
  const [name = '', value = ''] = text.split(/:(.*)/s)
  return [name.trim(), value.trim()]
}

const USUAL_METHOD = /^(?:get|head|post|put|patch|delete|options)$/i

function readLine(text: string, { ids, method }: Surroundings): Pick<BenchRequest, 'method' | 'target'> {
  const line = text.trim().replace(/\s+HTTP\/\d(?:\.\d)?$/i, '')
  // A path and a URL have a slash in their first word, and a method has none.
  const [, first, rest = ''] = /^([^\s/:?]+)\s+(.*)$/s.exec(line) ?? /^([A-Z]+)$/.exec(line) ?? []
  if (first === undefined) return { method, target: belowBench(line, ids) }
  return { method: USUAL_METHOD.test(first) ? first.toUpperCase() : first, target: belowBench(rest, ids) }
}

/** The path below the bench, of a URL or of a path. What comes before the path of the bench does not matter. */
function belowBench(text: string, ids: readonly string[]): string {
  const path = text.replace(/^https?:\/\/[^/?#]*/i, '')
  const [, group] = /^\/*([^/?#]+)\//.exec(path) ?? []
  const isBelow = group !== undefined && ids.some((id) => id.startsWith(`${group}/`))
  const target = isBelow ? path : path.replace(/^(?:[^?#]*?\/)?lab\/(?:try|runs\/[^/?#]+)(?=[/?#]|$)/, '')
  return target === '' || target.startsWith('/') ? target : `/${target}`
}

/** All fields as one text: the line, the headers, an empty line, the body. */
export function joinTexts({ line, headers, body }: TypedTexts): string {
  const head = [line, headers].join('\n').split('\n')
  return `${head.filter((one) => one.trim() !== '').join('\n')}${body === '' ? '' : `\n\n${body}`}`
}

/** Reads what `joinTexts` has written. */
export function splitTexts(text: string): TypedTexts {
  const [head = '', body = ''] = text.split(/\n\n(.*)/s)
  const [line = '', ...headers] = head.split('\n')
  return { line, headers: headers.join('\n'), body }
}

/** The parts of a request in HTTP/1.1 that was pasted; undefined if the text is none. */
export function readHttp(text: string): TypedTexts | undefined {
  const { line, headers, body } = splitTexts(text.replaceAll('\r\n', '\n').trimStart())
  const lines = headers.split('\n').filter((one) => one !== '')
  if (!lines.every((one) => HEADER.test(one))) return undefined
  return { line, headers: lines.filter((one) => !OF_THE_SENDER.test(one)).join('\n'), body }
}

/** What every program that sends a request writes itself. */
const OF_THE_SENDER = /^(?:host|content-length|connection)[ \t]*:/i

/** The id that is most like another one; undefined if none is like it. */
export function nearestId(id: string, ids: readonly string[]): string | undefined {
  const [nearest] = ids
    .map((one) => ({ one, distance: distanceOf(id.toLowerCase(), one) }))
    .filter(({ one, distance }) => distance <= one.length / 2)
    .toSorted((one, other) => one.distance - other.distance)
  return nearest?.one
}

/** How many characters have to be added, removed or replaced (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [line, one] of [...from].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...to].entries()) {
      const [corner = 0, above = 0] = row.slice(column, column + 2)
      next.push(Math.min(corner + (one === other ? 0 : 1), above + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
