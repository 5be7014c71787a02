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
  /** The case that was meant, perhaps. */
  nearest?: string
}

/** @param ids The cases on the bench */
export function findObstacle(typed: Typed, chosen: string, ids: readonly string[]): Obstacle | undefined {
  const { request, caseId } = typed
  const unsendable = findUnsendable(typed)
  if (unsendable !== undefined) return { reason: unsendable }
  if (caseId === undefined) return { reason: `The path names no case. That of the case above begins with /${chosen}.` }
  if (caseId.startsWith('retry/')) return { reason: 'Retries are judged in a run only.' }
  if (!ids.includes(caseId)) {
    const nearest = nearestId(caseId, ids)
    return { reason: `There is no case ${caseId}.`, ...(nearest !== undefined && { nearest }) }
  }
  // What the bench knows of another case decides there.
  if (caseId !== chosen) return undefined
  const reason = obstacleInMethod(request) ?? obstacleInTarget(request) ?? obstacleInHeaders(request)
  return reason === undefined ? undefined : { reason, command: commandOf(request) }
}

/** A command that sends a request as it stands. */
function commandOf(request: BenchRequest): string {
  const bench = urlOf('/lab/try')
  // Of a URL, curl would not send what follows this.
  if (!request.target.includes('#')) return writeCurl(request, quote(bench + request.target))
  const target = quote(`${BASE_PATH}/lab/try${request.target}`)
  return writeCurl(request, quote(bench), { options: ['--request-target', target] })
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

function obstacleInTarget({ target }: BenchRequest): string | undefined {
  const { pathname, search, hash } = new URL(`${urlOf('/lab/try')}${target}`)
  const sent = (pathname + search).slice(`${BASE_PATH}/lab/try`.length)
  if (hash !== '' || target.includes('#')) return `A browser does not send what follows #, and would send ${sent}.`
  return sent === target ? undefined : `A browser would encode this address again, and send ${sent}.`
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
