import { type Arrived, GROUPS, type JudgedCase, type LabStep, type Outcome } from './case.ts'
import { decodeContent } from './content-coding.ts'
import { type CatalogueEntry, catalogueEntryOf } from './documents/catalogue.ts'
import { judgedCaseOf } from './documents/judged.ts'
import { decisiveOf, outcomeOf } from './outcome.ts'
import { RETRY_MEMORY_MS } from './retry-scripts.ts'
import { roleOf, stepOf } from './step.ts'
import { CASES, SUITE } from './suite/suite.ts'

// The judge as a library: the unit tests of a client judge the requests that it is about to send, without a server. The
// package exports it as `galaxy/lab`.

/** The date of the cases. */
export const suite: string = SUITE

/** All cases, as `GET /lab/cases` lists them. */
export const cases: readonly CatalogueEntry[] = CASES.map(catalogueEntryOf)

const JUDGED: ReadonlyMap<string, JudgedCase> = new Map(CASES.map((spec) => [spec.id, judgedCaseOf(spec)]))

/** A request as plain data. */
export interface PlainRequest {
  method: string
  /** Raw, as it would be sent. Everything before `/{group}/{name}` is ignored. */
  url: string
  headers?: Headers | Readonly<Record<string, string>> | readonly (readonly [string, string])[]
  /** The bytes, or a text that is sent in UTF-8. */
  body?: Uint8Array | string | null
}

/** The verdict on a case, as the service answers it. */
export interface LabVerdict extends Outcome {
  case: string
  level: JudgedCase['level']
  /** The part that was judged: at most its first 2,048 bytes. Null if none was. */
  received: string | null
  /** Null: `received` is text. */
  encoding: 'base64' | null
  /** The form that we would send; null if there is none. */
  expected: string | null
}

/** A body has at most this many bytes, encoded or decoded, as at the service. */
export const BODY_MAX_BYTES = 256 * 1024

/**
 * Judges a request by a case, as `/lab/try` does. Of a `Request` the URL is judged as its parser left it.
 *
 * @throws RangeError if there is no such case, or if the body is too large
 */
export async function judge(caseId: string, request: Request | PlainRequest): Promise<LabVerdict> {
  const plain = request instanceof Request ? await toPlain(request) : request
  const { headers, body, ...rest } = arrive(caseId, plain)
  const decoded = await decodeContent(requireSize(body), headers.get('Content-Encoding'), BODY_MAX_BYTES)
  if (!decoded) throw tooLarge()
  return conclude(findCase(caseId), [{ at: 0, arrived: { ...rest, headers, ...decoded } }])
}

/**
 * Judges a request by a case, as `judge` does, at once.
 *
 * @throws RangeError as `judge`; TypeError if the body has a Content-Encoding, which only `judge` decodes
 */
export function judgeSync(caseId: string, request: PlainRequest): LabVerdict {
  const arrived = arrive(caseId, request)
  requireSize(arrived.body)
  if (arrived.body.length > 0 && arrived.headers.get('Content-Encoding'))
    throw new TypeError('A body with a Content-Encoding is judged by judge(), because decoding takes time.')
  return conclude(findCase(caseId), [{ at: 0, arrived }])
}

/**
 * Judges the requests of a case, in the order in which they were sent: the retries of `retry/…`, and of a response its
 * GET before its PUT. Of a redirect the last one counts.
 *
 * @param attempts With the time of each, in milliseconds
 * @throws RangeError and TypeError as `judgeSync`
 */
export function judgeRetry(caseId: string, attempts: readonly { at: number; request: PlainRequest }[]): LabVerdict {
  const seen = attempts.map(({ at, request }) => {
    const arrived = arrive(caseId, request)
    requireSize(arrived.body)
    return { at, arrived }
  })
  return conclude(findCase(caseId), seen)
}

/** @throws RangeError if there is none */
export function findCase(caseId: string): JudgedCase {
  const judged = JUDGED.get(caseId)
  if (!judged) throw new RangeError(`There is no case ${caseId}. \`cases\` lists them all.`)
  return judged
}

async function toPlain(request: Request): Promise<PlainRequest> {
  const { method, url, headers } = request
  return { method, url, headers, body: new Uint8Array(await request.clone().arrayBuffer()) }
}

const tooLarge = () => new RangeError('The body has more than 256 KiB, or decodes to too much.')

function requireSize(body: Uint8Array): Uint8Array {
  if (body.length > BODY_MAX_BYTES) throw tooLarge()
  return body
}

/** The path below the name of a case, and the query. */
const PLACE = new RegExp(String.raw`^.*?\/+(?:${GROUPS.join('|')})\/+[^/?#]+(\/[^?#]*)?(?:\?([^#]*))?(?:#.*)?$`, 's')

function arrive(caseId: string, { method, url, headers = {}, body }: PlainRequest): Arrived {
  const { id } = findCase(caseId)
  // An id has small letters, digits, hyphens and one slash.
  const start = url.search(new RegExp(`\\/+${id.replace('/', '\\/+')}(?=[/?#]|$)`))
  if (start < 0) throw new RangeError(`The URL has no /${caseId} in its path.`)
  const [, rest = '', query = ''] = PLACE.exec(url.slice(start)) ?? []
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? new Uint8Array())
  return { method, rest, query, headers: new Headers(headers as HeadersInit), body: bytes }
}

/** A request, and when it came, in milliseconds. */
export interface SeenRequest {
  at: number
  arrived: Arrived
}

/** The verdict of `/lab/try`, where nobody knows whether the GET of a response came before its PUT. */
function conclude(judged: JudgedCase, seen: readonly SeenRequest[]): LabVerdict {
  const isAlone = judged.answer !== undefined && seen.every(({ arrived }) => arrived.method !== 'GET')
  return judgeAll(judged, seen, isAlone ? [{ at: 0, begins: true }] : [])
}

/**
 * What the requests of a case have come to, as a run says it.
 *
 * @param before Steps that are taken for granted
 */
export function judgeAll(
  judged: JudgedCase,
  seen: readonly SeenRequest[],
  before: readonly LabStep[] = [],
): LabVerdict {
  let steps: LabStep[] = []
  let received: Pick<LabVerdict, 'received' | 'encoding'> = { received: null, encoding: null }
  let decisive: LabStep['judgement']
  for (const { at, arrived } of seen) {
    const { step, key, judgement } = stepOf(judged, roleOf(judged, arrived, arrived.method), arrived, at)
    const isAnew = step.begins || (judged.script !== undefined && at - (steps.at(-1)?.at ?? at) >= RETRY_MEMORY_MS)
    // A response and its PUT belong together; of other cases than retries, the last request counts.
    const kept = isAnew ? [] : judged.script !== undefined ? steps : steps.filter(({ begins }) => begins)
    steps = [...kept, { ...step, ...(key !== undefined && { key }) }]
    const now = decisiveOf(judged, steps)
    if (judgement && (now === step.judgement || !decisive)) {
      received = { received: judgement.received, encoding: judgement.encoding }
    } else if (isAnew) received = { received: null, encoding: null }
    decisive = now
  }
  const { verdict, reason, at } = outcomeOf(judged, [...before, ...steps])
  const { id, level, wire } = judged
  return { case: id, level, verdict, reason, at, ...received, expected: wire }
}
