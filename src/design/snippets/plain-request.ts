import type { ShownBody, ShownRequest } from '../shown-request.ts'

/** A request that every language can send as it is. */
export interface PlainRequest {
  method: string
  /** Absolute, with only the characters of RFC 3986. */
  url: string
  /** Each name occurs once. */
  headers: readonly (readonly [name: string, value: string])[]
  body: ShownBody | undefined
}

const TEXT_TYPE = 'text/plain;charset=UTF-8'
const CONTENT_TYPE = 'content-type'

/** Brings a request into the form that all languages send in the same way. */
export function toPlainRequest({ method, url, headers, body }: ShownRequest): PlainRequest {
  return { method: method.toUpperCase(), url: toUri(url), headers: toHeaders(headers, body), body: toBody(body) }
}

/**
 * Encodes the characters of a URL that browsers accept, but that other languages reject or encode in different ways.
 * The fragment is left out, because no client sends it.
 */
function toUri(text: string): string {
  const url = new URL(text.toWellFormed())
  const target = url.pathname + url.search
  return url.origin + target.replaceAll(/[^\w\-.~:/?@!$&'()*+,;=%]/g, encodeURIComponent)
}

/**
 * Joins headers of the same name (RFC 9110, section 5.3). The Content-Type of a form is left out: the program that
 * sends the form adds it, because it contains the boundary. A text without a Content-Type gets the type with which
 * browsers send it.
 */
function toHeaders(headers: ShownRequest['headers'], body: ShownBody | undefined): [string, string][] {
  const isForm = body !== undefined && 'field' in body
  const sent = headers.filter(([name]) => !isForm || name.toLowerCase() !== CONTENT_TYPE)
  const byName = Map.groupBy(sent, ([name]) => name.toLowerCase())
  if (body && !isForm && !byName.has(CONTENT_TYPE)) byName.set(CONTENT_TYPE, [['Content-Type', TEXT_TYPE]])
  return [...byName.values()].map((sameName) => {
    const [firstSpelling = ''] = sameName[0] ?? []
    return [firstSpelling, sameName.map(([, value]) => toFieldValue(value)).join(', ')]
  })
}

/** Replaces characters that no header can contain, as RFC 9110, section 5.5, tells recipients to do. */
function toFieldValue(value: string): string {
  const controlCharactersExceptTab = /(?:(?!\t)\p{Cc})+/gu
  return value.toWellFormed().replaceAll(controlCharactersExceptTab, ' ').trim()
}

function toBody(body: ShownBody | undefined): ShownBody | undefined {
  if (!body) return undefined
  if ('text' in body) return { text: body.text.toWellFormed() }
  return { field: body.field.toWellFormed(), fileName: body.fileName.toWellFormed() }
}
