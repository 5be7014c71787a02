import { parseAccept } from 'hono/utils/accept'
import { maskCredentials } from '../../../domain/mask-credentials.ts'
import type { Arrived, ExpectedBody, ExpectedParameter, JudgedCase, Judgement } from '../case.ts'
import { compareJson } from './json.ts'
import { compareContentType } from './media-type.ts'
import { compareFile, compareMultipart } from './multipart.ts'
import { compareHeader, compareQuery, judgeCookies } from './parameters.ts'
import { makePart, type Part, report } from './part.ts'
import { comparePath } from './path.ts'
import { IN_FORM, IN_QUERY } from './percent.ts'
import { compareText } from './scalars.ts'
import { type Bytes, findInvalid, fromCodes, isContinuation, plainText, type Slice, toBytes, toText } from './text.ts'
import { compareXml } from './xml.ts'

/** This many bytes of a part are shown. */
export const RECEIVED_MAX_BYTES = 2048

const REASON_MAX_LENGTH = 200

type PartName = 'path' | 'query' | 'header' | 'cookie' | 'body'

/**
 * Compares a request with what a case expects. It is a pure function, and never fails, whatever arrived. It costs linear
 * time. How it compares stands in README.md.
 */
export function judge(judged: JudgedCase, arrived: Arrived): Judgement {
  const parts = judgeParts(judged, arrived)
  const shown = parts.find(({ name }) => name === partOf(judged))?.part ?? makePart('')
  if (judged.level === 'open') {
    const { received } = show(shown, shown.received)
    const [variant] = judged.variants?.find(([, pattern]) => new RegExp(pattern).test(received)) ?? ['other']
    return { verdict: 'info', reason: variant, at: null, ...show(shown) }
  }
  for (const verdict of ['fail', 'nonStrict'] as const) {
    for (const { part } of parts) {
      const found = part[verdict]
      if (!found) continue
      return {
        verdict: verdict === 'fail' ? 'fail' : 'non-strict',
        reason: cut(withoutCredentials(found.reason, part, judged.wire)),
        at: found.at,
        ...show(part),
      }
    }
  }
  return { verdict: 'pass', reason: null, at: null, ...show(shown) }
}

/** The part that is shown of a request without a difference. */
function partOf({ id, parameters, accepts }: JudgedCase): PartName {
  if (accepts !== undefined) return 'header'
  const [group] = id.split('/')
  if (group === 'path' || group === 'query' || group === 'header' || group === 'cookie') return group
  if (group === 'redirect' && parameters?.some((parameter) => parameter.in === 'query')) return 'query'
  return 'body'
}

/** Judges the parts of a request, in the order in which their differences count. */
function judgeParts(judged: JudgedCase, arrived: Arrived): readonly { name?: PartName; part: Part }[] {
  const { id, redirect, body } = judged
  const parametersIn = (place: ExpectedParameter['in']) =>
    (judged.parameters ?? []).filter((parameter) => parameter.in === place)
  const contentType = makePart(toBytes(arrived.headers.get('content-type') ?? ''))
  const path = makePart(toBytes(arrived.rest))
  const query = makePart(toBytes(arrived.query))
  // The end of a redirect is at a path, and with a query, of its own.
  if (!redirect) comparePath(path, judged.path.slice(id.length + 1), parametersIn('path'))
  if (!redirect || parametersIn('query').length > 0)
    compareQuery(query, parametersIn('query'), IN_QUERY, 'in the query')
  const headers = parametersIn('header').map((parameter) => {
    const value = arrived.headers.get(parameter.name) ?? undefined
    const part = makePart(toBytes(value ?? ''))
    compareHeader(part, value === undefined ? undefined : part.received, parameter)
    return { name: 'header' as const, part }
  })
  if (judged.accepts !== undefined) {
    headers.push({ name: 'header', part: judgeAccept(arrived.headers.get('accept') ?? '', judged.accepts) })
  }
  const cookies = judgeCookies(toBytes(arrived.headers.get('cookie') ?? ''), parametersIn('cookie'))
  const content = makePart(fromCodes(arrived.body))
  if (body) compareBody(content, contentType, body, !id.startsWith('response/'))
  return [
    { part: contentType },
    { name: 'path', part: path },
    { name: 'query', part: query },
    ...headers,
    { name: 'cookie', part: cookies },
    { name: 'body', part: content },
  ]
}

/**
 * Compares the header `Accept` (RFC 9110, 12.5.1). The range that fits best decides. Without the header, all media types
 * are accepted.
 */
function judgeAccept(accept: string, mediaType: string): Part {
  const part = makePart(toBytes(accept))
  const ranges = parseAccept(accept)
  const [best] = [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*'].flatMap((name) =>
    ranges.filter(({ type }) => type.toLowerCase() === name),
  )
  const isAllowed = accept === '' || (best !== undefined && best.q > 0)
  if (!isAllowed) report(part, 'fail', part.received.length, `Accept does not allow ${mediaType}.`)
  return part
}

function compareBody(part: Part, contentType: Part, body: ExpectedBody, isTyped: boolean): void {
  const { received } = part
  const whole: Slice = [0, received.length]
  if (body.as === 'none') {
    if (received !== '') report(part, 'fail', 0, 'There should be no body.')
    return
  }
  if (received === '') {
    report(part, 'fail', 0, 'The body is missing.')
    return
  }
  const boundary = isTyped ? compareContentType(contentType, body.mediaType) : undefined
  if (body.as === 'multipart') {
    if (boundary !== undefined) compareMultipart(part, boundary, body.parts)
  } else if (body.as === 'bytes') compareFile(part, whole, atob(body.bytes), 'The body')
  else if (body.as === 'form') compareQuery(part, body.fields, IN_FORM, 'in the form')
  else {
    const text = plainText(received, whole)
    const invalid = findInvalid(received)
    if (invalid >= 0) report(part, 'fail', invalid, 'The body is no UTF-8 here.')
    if (body.as === 'json') compareJson(part, text, body.expected, 'The body')
    else if (body.as === 'xml') compareXml(part, body.xml)
    else compareText(part, text, { is: 'text', value: body.text }, 'The body')
  }
}

const isText = (bytes: Bytes) => !bytes.includes('\0') && findInvalid(bytes) < 0

/** The first bytes of a part, without credentials. A text is cut before a character. */
function show({ received }: Part, shown = maskCredentials(received)): { received: string; encoding: 'base64' | null } {
  if (!isText(received)) return { received: btoa(shown.slice(0, RECEIVED_MAX_BYTES)), encoding: 'base64' }
  let end = RECEIVED_MAX_BYTES
  while (isContinuation(received.charCodeAt(end))) end--
  return { received: toText(shown.slice(0, end)), encoding: null }
}

/**
 * A sentence about a part. If there are credentials in the part, a quotation may be a piece of one, or decoded. So only
 * those stay that can be seen anyway, in the masked part or in the form that we would send.
 */
function withoutCredentials(reason: string, { received }: Part, wire: string | null): string {
  const masked = maskCredentials(received)
  if (masked === received) return reason
  const shown = JSON.stringify([toText(masked), wire])
  return reason.replaceAll(/"((?:[^"\\]|\\.)*)"/g, (quotation, quoted: string) =>
    shown.includes(quoted.replace(/…$/, '')) ? quotation : `"${'*'.repeat(quoted.length)}"`,
  )
}

function cut(reason: string): string {
  if (reason.length <= REASON_MAX_LENGTH) return reason
  return `${reason.slice(0, REASON_MAX_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
