import { ProblemError } from '../../domain/problems.ts'
import { type MediaRange, readAccept } from '../accept.ts'
import { ALL_FORMATS, DEFAULT_FORMAT, FORMATS, type Format, type FormatName } from './formats.ts'
import type { Route } from './route.ts'
import { formatsOf, negotiates, sendsDocuments, sendsPages } from './route-facts.ts'

// Content negotiation (RFC 9110, section 12). A format is JSON or XML. A page is an HTML page.

const HTML = 'text/html'

/**
 * @returns The format of the document; undefined if the route sends no documents, or if the caller prefers and gets an
 * HTML page
 * @throws ProblemError 406
 */
export function negotiate(route: Route, headers: Headers): FormatName | undefined {
  return sendsPages(route) && prefersPage(headers) ? undefined : negotiateDocument(route, headers)
}

/**
 * Negotiates the format of a route's documents. An HTML page that the route may also have is not considered.
 *
 * @returns Undefined if the route sends no documents
 * @throws ProblemError 406
 */
export function negotiateDocument(route: Route, headers: Headers): FormatName | undefined {
  if (!sendsDocuments(route)) return undefined
  return negotiates(route) ? chooseFormat(headers, formatsOf(route)) : DEFAULT_FORMAT
}

/**
 * Chooses the offered format that the caller prefers (RFC 9110, section 12.5.1). If the caller prefers several equally,
 * the first one is chosen. An Accept header that names text/html comes from a browser. Browsers show JSON better, so
 * they get XML only if Accept prefers it to everything else.
 *
 * @throws ProblemError 406
 */
export function chooseFormat(headers: Headers, offered: readonly FormatName[]): FormatName {
  const ranges = acceptedRanges(headers)
  const best = ranges === EVERYTHING ? offered[0] : findBest(ranges, offered, (name) => qualityOfFormat(name, ranges))
  if (best) return best
  const types = offered.map((name) => FORMATS[name].mediaType).join(', ')
  throw new ProblemError('not-acceptable', `None of the media types in Accept is available. Available: ${types}.`)
}

/** Of those that the caller prefers equally, the first. Undefined if the caller accepts none. */
export function chooseMediaType(headers: Headers, offered: readonly string[]): string | undefined {
  const ranges = acceptedRanges(headers)
  const [best] = offered.map((type) => ({ type, q: qualityOf(type, ranges) })).toSorted((a, b) => b.q - a.q)
  return best && best.q > 0 ? best.type : undefined
}

/** The Content-Type of a document in a format: the alias of the media type if the caller prefers it. */
export function contentTypeOf(name: FormatName, headers: Headers): string {
  const { mediaType, alias }: Format = FORMATS[name]
  if (alias === undefined) return mediaType
  const ranges = acceptedRanges(headers)
  if (namedQuality(alias, ranges) <= qualityOf(mediaType, ranges)) return mediaType
  // Old readers assume US-ASCII for text/xml without a charset (RFC 3023, section 3.1; RFC 7303, section 9.2).
  return `${alias}; charset=utf-8`
}

/** The format of a problem document: the one that the caller prefers, or the default if the caller accepts none. */
export function chooseProblemFormat(headers: Headers): FormatName {
  const ranges = acceptedRanges(headers)
  return findBest(ranges, ALL_FORMATS, (name) => qualityOfProblem(name, ranges)) ?? DEFAULT_FORMAT
}

/** Whether a caller gets a page in place of a problem: Accept names `text/html`, and gives no problem a higher quality. */
export function prefersErrorPage(headers: Headers): boolean {
  const ranges = acceptedRanges(headers)
  const q = namedQuality(HTML, ranges)
  return q > 0 && ALL_FORMATS.every((name) => qualityOfProblem(name, ranges) <= q)
}

function qualityOfProblem(name: FormatName, ranges: readonly MediaRange[]): number {
  return Math.max(qualityOfFormat(name, ranges), qualityOf(FORMATS[name].problemType, ranges))
}

/**
 * Whether a caller gets the HTML page of a route: Accept allows `text/html` or `text/*` by name, and gives no format a
 * higher quality. Browsers send such a header.
 */
export function prefersPage(headers: Headers): boolean {
  const ranges = acceptedRanges(headers)
  const page = ranges.find(({ type }) => type === HTML) ?? ranges.find(({ type }) => type === 'text/*')
  if (!page || page.q === 0) return false
  return ALL_FORMATS.every((name) => qualityOf(FORMATS[name].mediaType, ranges) <= page.q)
}

/** The media ranges of Accept with their qualities. Without Accept, everything is accepted. */
function acceptedRanges(headers: Headers): readonly MediaRange[] {
  const accept = headers.get('Accept')
  if (accept === null || accept === '*/*') return EVERYTHING
  const ranges = readAccept(accept.toLowerCase()).filter(({ type }) => type !== '')
  return ranges.length > 0 ? ranges : EVERYTHING
}

const EVERYTHING: readonly MediaRange[] = [{ type: '*/*', params: {}, q: 1 }]

/** Undefined if none is accepted. For browsers, see `chooseFormat`. */
function findBest(
  ranges: readonly MediaRange[],
  offered: readonly FormatName[],
  qualityOfOffer: (name: FormatName) => number,
): FormatName | undefined {
  const [best] = offered.map((name) => ({ name, q: qualityOfOffer(name) })).toSorted((a, b) => b.q - a.q)
  const isFromBrowser = ranges.some(({ type, q }) => type === HTML && q > 0)
  if (!best || !isFromBrowser) return best && best.q > 0 ? best.name : undefined
  const { mediaType, alias, problemType }: Format = FORMATS[best.name]
  const otherRanges = ranges.filter(({ type }) => ![mediaType, alias, problemType].includes(type))
  const isFavourite = otherRanges.every(({ q }) => q < best.q)
  return isFavourite ? best.name : offered[0]
}

/** The quality of a format, from 0 to 1, by either name of its media type. Wildcards only match the first name. */
function qualityOfFormat(name: FormatName, ranges: readonly MediaRange[]): number {
  const { mediaType, alias }: Format = FORMATS[name]
  return Math.max(qualityOf(mediaType, ranges), alias === undefined ? 0 : namedQuality(alias, ranges))
}

/** The quality of a media type that Accept names; 0 if Accept does not name it. Wildcards do not count. */
function namedQuality(mediaType: string, ranges: readonly MediaRange[]): number {
  return ranges.find(({ type }) => type === mediaType)?.q ?? 0
}

/** The quality of a media type, from 0 to 1, from the most specific range that matches. */
function qualityOf(mediaType: string, ranges: readonly MediaRange[]): number {
  const [group] = mediaType.split('/')
  for (const pattern of [mediaType, `${group}/*`, '*/*']) {
    const range = ranges.find(({ type }) => type === pattern)
    if (range) return range.q
  }
  return 0
}
