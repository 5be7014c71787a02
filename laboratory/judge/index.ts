import { maskCredentials } from '../../src/domain/mask-credentials.ts'
import { readAccept } from '../../src/http/accept.ts'
import type { Arrived, ExpectedBody, ExpectedParameter, Group, JudgedCase, Judgement, PartName } from '../case.ts'
import { decodeText } from './charset.ts'
import { compareJson } from './json.ts'
import { compareLines } from './lines.ts'
import { compareContentType } from './media-type.ts'
import { compareFile, compareItems, compareMultipart } from './multipart.ts'
import { compareHeader, compareQuery, compareQuerystring, judgeCookies } from './parameters.ts'
import { makePart, type Part, quote, report } from './part.ts'
import { comparePath } from './path.ts'
import { IN_FORM, IN_QUERY } from './percent.ts'
import { compareText } from './scalars.ts'
import { headerOf, partOf } from './shown-part.ts'
import { type Bytes, findInvalid, fromCodes, isContinuation, type Slice, toBytes, toText } from './text.ts'
import { compareXml } from './xml.ts'

/** This many bytes of a part are shown. */
export const RECEIVED_MAX_BYTES = 2048

const REASON_MAX_LENGTH = 200

/**
 * Compares a request with what a case expects. It is a pure function, and never fails, whatever arrived. It costs linear
 * time. How it compares stands in README.md.
 */
export function judgeRequest(judged: JudgedCase, arrived: Arrived): Judgement {
  const parts = judgeParts(judged, arrived)
  const usual = partOf(judged)
  const shown = parts.find(({ name }) => name === usual)?.part ?? makePart('')
  if (judged.level === 'open') {
    const { received } = show(shown, shown.received)
    const [variant] = judged.variants?.find(([, pattern]) => new RegExp(pattern).test(received)) ?? ['other']
    return { part: usual, verdict: 'info', reason: variant, at: null, ...show(shown) }
  }
  for (const verdict of ['fail', 'nonStrict'] as const) {
    for (const { name, part } of parts) {
      const found = part[verdict]
      if (!found) continue
      return {
        part: name,
        verdict: verdict === 'fail' ? 'fail' : 'non-strict',
        reason: cut(withoutCredentials(found.reason, part, judged.wire)),
        at: found.at,
        ...show(part),
      }
    }
  }
  return { part: usual, verdict: 'pass', reason: null, at: null, ...show(shown) }
}

/** The groups that are not about queries, so that a query is no difference. */
const WITHOUT_QUERY: readonly Group[] = ['path', 'header', 'cookie', 'body', 'xml', 'response']

/** Judges the parts of a request, in the order in which their differences count. */
function judgeParts(judged: JudgedCase, arrived: Arrived): readonly { name: PartName; part: Part }[] {
  const { id, redirect, body } = judged
  const [group] = id.split('/')
  // The PUT of a response carries a report. How bodies are sent is judged by others.
  const isReport = group === 'response'
  const parametersIn = (place: ExpectedParameter['in']) =>
    (judged.parameters ?? []).filter((parameter) => parameter.in === place)
  const contentType = makePart(toBytes(arrived.headers.get('content-type') ?? ''))
  const coding = makePart(toBytes(arrived.headers.get('content-encoding') ?? ''))
  if (!isReport) judgeCoding(coding, arrived)
  const path = makePart(toBytes(arrived.rest.replace(/^\/+/, '')))
  const query = makePart(toBytes(arrived.query))
  // A redirect ends at a path of its own.
  const template = redirect ? `/${redirect.target}` : judged.path.slice(id.length + 1)
  comparePath(path, template, parametersIn('path'), arrived.rest.endsWith('/'))
  const [whole] = parametersIn('querystring')
  if (whole) compareQuerystring(query, whole)
  else if (!WITHOUT_QUERY.some((name) => name === group)) compareQuery(query, parametersIn('query'), IN_QUERY)
  const headers = parametersIn('header').map((parameter) => {
    const value = arrived.headers.get(parameter.name) ?? undefined
    const part = makePart(toBytes(value ?? ''))
    compareHeader(part, value === undefined ? undefined : part.received, parameter)
    return { name: headerOf(parameter.name), part }
  })
  if (judged.accepts !== undefined) {
    headers.push({ name: 'header accept', part: judgeAccept(arrived.headers.get('accept') ?? '', judged.accepts) })
  }
  const cookies = judgeCookies(toBytes(arrived.headers.get('cookie') ?? ''), parametersIn('cookie'))
  const content = makePart(fromCodes(arrived.body))
  if (body && body.as !== 'none') compareBody(content, contentType, body, !isReport)
  // A coding makes some bytes of nothing, and they are content too.
  else if (content.received !== '' || arrived.coding !== undefined) {
    // RFC 9110, 9.3.1: a client SHOULD NOT send content in a GET.
    report(content, !body && arrived.method === 'GET' ? 'nonStrict' : 'fail', 0, 'There should be no body.')
  }
  return [
    { name: 'header content-type', part: contentType },
    { name: 'header content-encoding', part: coding },
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
  const ranges = readAccept(accept)
  const [best] = [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*'].flatMap((name) =>
    ranges.filter(({ type }) => type.toLowerCase() === name),
  )
  const isAllowed = accept === '' || (best !== undefined && best.q > 0)
  if (!isAllowed) report(part, 'fail', part.received.length, `The header Accept does not allow ${mediaType}.`)
  return part
}

/** Judges the Content-Encoding (RFC 9110, 8.4) of a body. Without a body it does not count. */
function judgeCoding(part: Part, { coding }: Arrived): void {
  const name = quote(part.received)
  if (coding === 'decoded')
    report(part, 'nonStrict', 0, `The body has the Content-Encoding ${name}, which a server may refuse.`)
  else if (coding === 'unknown') report(part, 'fail', 0, `The Content-Encoding ${name} is not known.`)
  else if (coding === 'broken') report(part, 'fail', 0, `The body is not what its Content-Encoding ${name} says.`)
}

type Sent = Exclude<ExpectedBody, { as: 'none' }>

function compareBody(part: Part, contentType: Part, body: Sent, isTyped: boolean): void {
  const { received } = part
  const whole: Slice = [0, received.length]
  if (received === '') {
    report(part, 'fail', 0, 'The body is missing.')
    return
  }
  const { boundary, charset } = isTyped ? compareContentType(contentType, body) : {}
  if (body.as === 'multipart' || body.as === 'items') {
    if (boundary === undefined) return
    part.delimiter = `--${boundary}`
    if (body.as === 'items') compareItems(part, boundary, body.parts)
    else compareMultipart(part, boundary, body.parts)
  } else if (body.as === 'bytes') compareFile(part, whole, atob(body.bytes), 'the body')
  else if (body.as === 'form') compareQuery(part, body.fields, IN_FORM)
  else if (body.as === 'xml') compareXml(part, charset, body.xml)
  else {
    const text = decodeText(part, whole, charset ?? 'utf-8', 'the body')
    if (body.as === 'json') compareJson(part, text, body.expected, 'the body')
    else if (body.as === 'lines') compareLines(part, text, body.items)
    else compareText(part, text, { is: 'text', value: body.text }, 'the body')
  }
}

const isText = (bytes: Bytes) => !bytes.includes('\0') && findInvalid(bytes) < 0

/** A part without credentials. It is made once, because that takes longer than all else. */
function maskPart(part: Part): Bytes {
  part.masked ??= withoutDelimiters(part)
  return part.masked
}

/** A delimiter is no credential, unless a client has made it of one. */
function withoutDelimiters({ received, delimiter }: Part): Bytes {
  if (delimiter === undefined || maskCredentials(delimiter) !== delimiter) return maskCredentials(received)
  // All pieces at once: there can be as many as a third of the bytes. No form of a credential has this sign.
  const masked = maskCredentials(received.replaceAll(delimiter, '|'.repeat(delimiter.length)))
  let from = 0
  const pieces = received.split(delimiter).map(({ length }) => {
    const piece = masked.slice(from, from + length)
    from += length + delimiter.length
    return piece
  })
  return pieces.join(delimiter)
}

/** The first bytes of a part, without credentials. A text is cut before a character. */
function show(part: Part, shown = maskPart(part)): { received: string; encoding: 'base64' | null } {
  const { received } = part
  if (!isText(received)) return { received: btoa(shown.slice(0, RECEIVED_MAX_BYTES)), encoding: 'base64' }
  let end = RECEIVED_MAX_BYTES
  while (isContinuation(received.charCodeAt(end))) end--
  return { received: toText(shown.slice(0, end)), encoding: null }
}

/**
 * A sentence about a part. If there are credentials in the part, a quotation may be a piece of one, or decoded. So only
 * those stay that can be seen anyway, in the masked part or in the form that we would send.
 */
function withoutCredentials(reason: string, part: Part, wire: string | null): string {
  const masked = maskPart(part)
  if (masked === part.received) return reason
  const shown = JSON.stringify([toText(masked), wire])
  return reason.replaceAll(/"((?:[^"\\]|\\.)*)"/g, (quotation, quoted: string) =>
    shown.includes(quoted.replace(/…$/, '')) ? quotation : `"${'*'.repeat(quoted.length)}"`,
  )
}

function cut(reason: string): string {
  if (reason.length <= REASON_MAX_LENGTH) return reason
  return `${reason.slice(0, REASON_MAX_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
