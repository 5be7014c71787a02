import { describe, expect, it } from 'vitest'
import type { Arrived, JudgedCase, PartName } from '../../../../laboratory/case.ts'
import { judgedCaseOf } from '../../../../laboratory/documents/judged.ts'
import { judgeRequest } from '../../../../laboratory/judge/index.ts'
import { CASES } from '../../../../laboratory/suite/suite.ts'
import { expectNamedPart } from '../../../../laboratory/test/judge/named-part.ts'
import { eachRow } from '../../../support/each-row.ts'

// Tables of requests to the cases of the suite, each with its verdict and the sentence that decides it. The verdicts
// were written from the rules of the suite and the specifications, not from the judge.

/** A request, as far as it is not usual: by default with the method and the media type of its case. */
export interface Sent {
  /** The id of its case. */
  to: string
  method?: string
  /** After the name of the case and its slash. A text that begins with a slash is as it is. */
  path?: string
  /** Without the question mark. */
  query?: string
  headers?: HeadersInit
  /** The Content-Type. Null: none. */
  type?: string | null
  /** A text is sent in UTF-8. */
  body?: string | Uint8Array<ArrayBuffer>
}

export interface Row extends Sent {
  /** What the request is, in words. */
  form: string
  /** Its verdict, or the status of the answer if it is not judged. */
  is: 'pass' | 'non-strict' | 'fail' | 413
  /** The offset in `received`, or the text before it. Absent where rule 14 does not give it. */
  at?: number | string
  /** What the reason says. */
  reason?: RegExp
  /** The part that was judged. */
  received?: string
  /** The sentence that decides it, or where it is. Rules are those of the suite. */
  by: string
}

/** What is told about a request. */
export interface Told {
  /** Only if the judge was asked by itself. */
  part?: PartName | null
  verdict: string
  reason: string | null
  at: number | null
  received: string | null
  encoding: 'base64' | null
}

const encoder = new TextEncoder()

const JUDGED = new Map<string, JudgedCase>(CASES.map((one) => [one.id, judgedCaseOf(one)]))

/** A case of the suite. */
export function caseWithId(id: string): JudgedCase {
  const judged = JUDGED.get(id)
  if (!judged) throw new Error(`The suite has no case ${id}.`)
  return judged
}

/** The usual Content-Type of a case's body. Forms of these tables have the boundary `x`. */
function usualType({ body }: JudgedCase): string {
  const mediaType = body && body.as !== 'none' ? body.mediaType : 'application/json'
  return mediaType.startsWith('multipart/') ? `${mediaType}; boundary=x` : mediaType
}

/** A request as it is sent to its case. */
export function writeRow({
  to,
  method,
  path = '',
  query = '',
  headers,
  type,
  body,
}: Sent): Omit<Arrived, 'coding'> & { headers: Headers } {
  const judged = caseWithId(to)
  const all = new Headers(headers)
  const contentType = type === undefined && body !== undefined ? usualType(judged) : type
  if (typeof contentType === 'string') all.set('Content-Type', contentType)
  return {
    method: method ?? judged.method,
    rest: path === '' || path.startsWith('/') ? path : `/${path}`,
    query,
    headers: all,
    body: typeof body === 'object' ? body : encoder.encode(body),
  }
}

/** What the judge says, as a function. */
export const judgeRow = (row: Sent): Told => judgeRequest(caseWithId(row.to), writeRow(row))

const lengthOf = ({ received, encoding }: Told) =>
  encoding === 'base64' ? atob(received ?? '').length : encoder.encode(received ?? '').length

/** Compares what was told with a row. */
export function expectTold(told: Told | number, { form, is, at, reason, received }: Row): void {
  if (typeof told === 'number') {
    expect([form, told]).toEqual([form, is])
    return
  }
  const isPass = is === 'pass'
  expect([form, told.verdict, told.reason]).toEqual([form, is, isPass ? null : told.reason])
  if (isPass) {
    expect(told.at).toBeNull()
    return
  }
  expect(told.reason).toMatch(reason ?? /^.{1,200}$/su)
  expectNamedPart({ part: null, ...told })
  expect(told.at).toBeGreaterThanOrEqual(0)
  expect(told.at).toBeLessThanOrEqual(lengthOf(told))
  if (received !== undefined) expect(told.received).toBe(received)
  if (at === undefined) return
  const wanted = typeof at === 'number' ? at : encoder.encode(at).length
  expect([form, told.at, told.reason]).toEqual([form, wanted, told.reason])
  if (typeof at === 'string' && told.encoding === null) expect(told.received?.slice(0, at.length)).toBe(at)
}

/** How a table is judged: by the function alone, or by the whole service. */
type Judge = (row: Row) => Told | number | Promise<Told | number>

/** What a table has at least. */
interface Least {
  legal: number
  illegal: number
}

/** What becomes of a request: 413 comes before a verdict. */
const OUTCOMES = ['pass', 'non-strict', 'fail', 413] as const

/** What a row is, and which sentence decides it. */
export const nameOfRow = ({ is, form, to, by }: Record<'form' | 'to' | 'by', string> & { is: string | number }) =>
  `${is}: ${form} (${to}; ${by})`

/**
 * Tries each row of a rule. A rule has at least six forms that are legal and six that are not, with each of the three
 * verdicts, unless it says otherwise.
 */
export function describeRule(rule: string, rows: readonly Row[], how: Judge = judgeRow, least?: Least): void {
  describe(rule, () => {
    it('has enough legal and illegal forms, and each once', () => {
      const illegal = rows.filter(({ is }) => is === 'fail' || is === 413)
      expect(rows.length - illegal.length).toBeGreaterThanOrEqual(least?.legal ?? 6)
      expect(illegal.length).toBeGreaterThanOrEqual(least?.illegal ?? 6)
      if (!least) expect(rows.map(({ is }) => is)).toEqual(expect.arrayContaining(['pass', 'non-strict', 'fail']))
      expect(new Set(rows.map(({ form }) => form)).size).toBe(rows.length)
    })

    it.each(OUTCOMES.filter((outcome) => rows.some(({ is }) => is === outcome)))('what is %s', (outcome) =>
      eachRow(
        rows.filter(({ is }) => is === outcome),
        async (row) => expectTold(await how(row), row),
        nameOfRow,
      ),
    )
  })
}
