import { type BenchRequest, bodyBytesOf, readBytes } from '../../laboratory/bench/request.ts'
import { BASE_PATH, urlOf } from '../lib/base.ts'

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

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

/** Why a page cannot send a request; undefined if it can. */
export function findObstacle(request: BenchRequest): string | undefined {
  return obstacleInMethod(request) ?? obstacleInTarget(request) ?? obstacleInHeaders(request)
}

function obstacleInMethod(request: BenchRequest): string | undefined {
  const { method } = request
  if (!TOKEN.test(method) || /^(?:connect|trace|track)$/i.test(method))
    return `A page in a browser cannot use the method ${JSON.stringify(method)}.`
  const isRead = /^(?:get|head)$/i.test(method)
  return isRead && bodyBytesOf(request).length > 0
    ? `A page in a browser cannot send a body with ${method.toUpperCase()}.`
    : undefined
}

function obstacleInTarget({ target }: BenchRequest): string | undefined {
  const { pathname, search, hash } = new URL(`${urlOf('/lab/try')}${target}`)
  const sent = (pathname + search + hash).slice(`${BASE_PATH}/lab/try`.length)
  if (sent === target && hash === '') return undefined
  const [path] = sent.split('#')
  return `A browser would encode this address again, and send ${path}.`
}

function obstacleInHeaders({ headers }: BenchRequest): string | undefined {
  const names = headers.map(([name]) => name.toLowerCase())
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    if (!TOKEN.test(name) || /[\0\r\n]/.test(headerBytesOf(value)))
      return `The line of ${JSON.stringify(name)} is no header.`
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
