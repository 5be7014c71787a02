import { quote, writeCurl } from '../../laboratory/bench/curl.ts'
import { type BenchRequest, bodyBytesOf, readBytes } from '../../laboratory/bench/request.ts'
import { nearestId, type Typed } from '../../laboratory/bench/typed.ts'
import { findUnsendable } from '../../laboratory/bench/unsendable.ts'
import { BASE_PATH, urlOf } from '../lib/base.ts'

/** Why a page does not send what was typed. */
export interface Obstacle {
  reason: string
  /** A command that sends it. Absent if nothing can. */
  command?: string
  /** What was meant, perhaps: a request line, and the words for it. */
  instead?: { line: string; name: string }
}

/** @param ids The cases on the bench */
export function findObstacle(typed: Typed, chosen: string, ids: readonly string[]): Obstacle | undefined {
  const { request, caseId } = typed
  const { method, target } = request
  const encoded = encodeAgain(target)
  const instead = encoded === target ? undefined : { line: `${method} ${encoded}`, name: encoded }
  const unsendable = findUnsendable(typed)
  if (unsendable !== undefined)
    return { reason: unsendable, ...(/\s/.test(target) && target.startsWith('/') && instead && { instead }) }
  if (caseId === undefined) return { reason: `The path names no case. That of the case above begins with /${chosen}.` }
  if (caseId.startsWith('retry/')) return { reason: 'Retries are judged in a run only.' }
  if (!ids.includes(caseId)) {
    const nearest = nearestId(caseId, ids)
    const reason = `There is no case ${caseId}.`
    if (nearest === undefined) return { reason }
    const line = `${method} ${target.replace(caseId, nearest)}`
    return { reason: `${reason} Did you mean ${nearest}?`, instead: { line, name: nearest } }
  }
  // What the bench knows of another case decides there.
  if (caseId !== chosen) return undefined
  if (instead) return { reason: explainTarget(target), instead }
  const reason = obstacleInMethod(request) ?? obstacleInHeaders(request)
  if (reason === undefined) return undefined
  return { reason, command: writeCurl(request, quote(urlOf('/lab/try') + target)) }
}

/** A path below the bench as browsers and servers read it (URL Standard), in which no part is a fragment. */
function encodeAgain(target: string): string {
  const { pathname, search } = new URL(`${urlOf('/lab/try')}${target.replaceAll('#', '%23')}`)
  return (pathname + search).slice(`${BASE_PATH}/lab/try`.length)
}

/** Why a target does not arrive as it stands, whoever sends it: the runtime of the server reads it as browsers do. */
function explainTarget(target: string): string {
  return target.includes('#')
    ? 'What follows # is never sent, or does not arrive. As a value it is %23.'
    : 'This address does not arrive as it stands: browsers and servers encode it again, or refuse it.'
}

// What a browser cannot send as it stands (Fetch Standard).

/** Fetch Standard, "forbidden request-header". */
const FORBIDDEN = new Set([
  'accept-charset',
  'accept-encoding',
  'access-control-request-headers',
  'access-control-request-method',
  'connection',
  'content-length',
  'cookie2',
  'date',
  'dnt',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'referer',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
])

function obstacleInMethod(request: BenchRequest): string | undefined {
  const { method } = request
  if (/^(?:connect|trace|track)$/i.test(method))
    return `A page in a browser cannot use the method ${JSON.stringify(method)}.`
  const isRead = /^(?:get|head)$/i.test(method)
  return isRead && bodyBytesOf(request).length > 0
    ? `A page in a browser cannot send a body with ${method.toUpperCase()}.`
    : undefined
}

function obstacleInHeaders({ headers }: BenchRequest): string | undefined {
  const names = headers.map(([name]) => name.toLowerCase())
  for (const [name] of headers) {
    const lower = name.toLowerCase()
    if (lower === 'cookie') return 'A page in a browser cannot choose its cookies.'
    if (FORBIDDEN.has(lower) || /^(?:proxy|sec)-/.test(lower))
      return `A page in a browser cannot set the header ${name}.`
    if (names.indexOf(lower) !== names.lastIndexOf(lower))
      return `A browser would make one header of those named ${name}.`
  }
  return undefined
}

/** The value of a header, with a character for each byte. */
export function headerBytesOf(value: string): string {
  return Array.from(readBytes(value), (byte) => String.fromCharCode(byte)).join('')
}
