import { type Arrived, GROUPS, type JudgedCase, type LabStep, type Outcome, type PartName } from './case.ts'
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
  return judgeSync(caseId, request instanceof Request ? await toPlain(request) : request)
}

/**
 * Judges a request by a case, as `judge` does, at once.
 *
 * @throws RangeError as `judge`
 */
export function judgeSync(caseId: string, request: PlainRequest): LabVerdict {
  return conclude(findCase(caseId), [{ at: 0, arrived: arrive(caseId, request) }])
}

/**
 * Judges the requests of a case, in the order in which they were sent: the retries of `retry/…`, and of a response its
 * GET before its PUT. Of a redirect the last one counts.
 *
 * @param attempts With the time of each, in milliseconds
 * @throws RangeError as `judge`
 */
export function judgeRetry(caseId: string, attempts: readonly { at: number; request: PlainRequest }[]): LabVerdict {
  const seen = attempts.map(({ at, request }) => ({ at, arrived: arrive(caseId, request) }))
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

/** The path below the name of a case, and the query. */
const PLACE = new RegExp(String.raw`^.*?\/+(?:${GROUPS.join('|')})\/+[^/?#]+(\/[^?#]*)?(?:\?([^#]*))?(?:#.*)?$`, 's')

function arrive(caseId: string, { method, url, headers = {}, body }: PlainRequest): Arrived {
  const { id } = findCase(caseId)
  // An id has small letters, digits, hyphens and one slash.
  const start = url.search(new RegExp(`\\/+${id.replace('/', '\\/+')}(?=[/?#]|$)`))
  if (start < 0) throw new RangeError(`The URL has no /${caseId} in its path.`)
  const [, rest = '', query = ''] = PLACE.exec(url.slice(start)) ?? []
  const sent = new Headers(headers as HeadersInit)
  return { method, rest, query, headers: sent, ...decode(body ?? '', sent.get('Content-Encoding')) }
}

/** @throws RangeError if the body is too large */
function decode(body: Uint8Array | string, contentEncoding: string | null): Pick<Arrived, 'body' | 'coding'> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const decoded = bytes.length > BODY_MAX_BYTES ? undefined : decodeContent(bytes, contentEncoding, BODY_MAX_BYTES)
  if (!decoded) throw new RangeError('The body has more than 256 KiB, or decodes to too much.')
  return decoded
}

/** A request, and when it came, in milliseconds. */
export interface SeenRequest {
  at: number
  arrived: Arrived
}

/** The verdict of `/lab/try`, where nobody knows whether the GET of a response came before its PUT. */
function conclude(judged: JudgedCase, seen: readonly SeenRequest[]): LabVerdict {
  const isAlone = judged.answer !== undefined && seen.every(({ arrived }) => arrived.method !== 'GET')
  const { part: _, ...verdict } = judgeAll(judged, seen, isAlone ? [{ at: 0, begins: true }] : [])
  return verdict
}

/** A verdict with the part that it is about. Null if no part was judged. */
interface PlacedVerdict extends LabVerdict {
  part: PartName | null
}

type Shown = Pick<PlacedVerdict, 'part' | 'received' | 'encoding'>
const NOTHING: Shown = { part: null, received: null, encoding: null }

/**
 * What the requests of a case have come to, as a run says it.
 *
 * @param before Steps that are taken for granted
 */
export function judgeAll(
  judged: JudgedCase,
  seen: readonly SeenRequest[],
  before: readonly LabStep[] = [],
): PlacedVerdict {
  let steps: LabStep[] = []
  let shown: Shown = NOTHING
  let decisive: LabStep['judgement']
  for (const { at, arrived } of seen) {
    const { step, key, judgement } = stepOf(judged, roleOf(judged, arrived, arrived.method), arrived, at)
    const isAnew = step.begins || (judged.script !== undefined && at - (steps.at(-1)?.at ?? at) >= RETRY_MEMORY_MS)
    // A response and its PUT belong together; of other cases than retries, the last request counts.
    const kept = isAnew ? [] : judged.script !== undefined ? steps : steps.filter(({ begins }) => begins)
    steps = [...kept, { ...step, ...(key !== undefined && { key }) }]
    const now = decisiveOf(judged, steps)
    if (judgement && (now === step.judgement || !decisive)) {
      shown = { part: judgement.part, received: judgement.received, encoding: judgement.encoding }
    } else if (isAnew) shown = NOTHING
    decisive = now
  }
  const { verdict, reason, at } = outcomeOf(judged, [...before, ...steps])
  const { id, level, wire } = judged
  return { case: id, level, verdict, reason, at, ...shown, expected: wire }
}
