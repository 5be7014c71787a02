import { type Accept, parseAccept } from 'hono/utils/accept'
import { ProblemError } from '../../domain/problems.ts'
import { ALL_FORMATS, DEFAULT_FORMAT, FORMATS, type Format, type FormatName } from './formats.ts'
import type { Route } from './route.ts'
import { formatsOf, negotiates, sendsDocuments, sendsPages } from './route-facts.ts'

const HTML = 'text/html'

/**
 * Negotiates how a route replies to a request.
 *
 * @returns The format of its documents; undefined if it sends none, or a page because the caller prefers one
 * @throws ProblemError 406
 */
export function negotiate(route: Route, headers: Headers): FormatName | undefined {
  return sendsPages(route) && prefersPage(headers) ? undefined : negotiateDocument(route, headers)
}

/**
 * Negotiates the format of a route's documents, whether or not it has a page too.
 *
 * @returns Undefined if it sends no documents
 * @throws ProblemError 406
 */
export function negotiateDocument(route: Route, headers: Headers): FormatName | undefined {
  if (!sendsDocuments(route)) return undefined
  return negotiates(route) ? chooseFormat(headers, formatsOf(route)) : DEFAULT_FORMAT
}

/**
 * Chooses the format that the caller likes best of those on offer (RFC 9110, section 12.5.1); of equals the first. An
 * Accept that names text/html is a browser's, which shows JSON better, so it gets XML only where that is preferred to
 * everything else in it.
 *
 * @throws ProblemError 406
 */
export function chooseFormat(headers: Headers, offered: readonly FormatName[]): FormatName {
  const ranges = acceptedRanges(headers)
  const best = findBest(ranges, offered, (name) => qualityOfFormat(name, ranges))
  if (best) return best
  const types = offered.map((name) => FORMATS[name].mediaType).join(', ')
  throw new ProblemError('not-acceptable', `None of the media types in Accept is available. Available: ${types}.`)
}

/** The Content-Type of a document in a format: the alias of the media type if the caller prefers it. */
export function contentTypeOf(name: FormatName, headers: Headers): string {
  const { mediaType, alias }: Format = FORMATS[name]
  const ranges = acceptedRanges(headers)
  if (alias === undefined || namedQuality(alias, ranges) <= qualityOf(mediaType, ranges)) return mediaType
  // Old readers take text/xml without a charset for US-ASCII (RFC 3023, section 3.1; RFC 7303, section 9.2).
  return `${alias}; charset=utf-8`
}

/** The format of a problem document: the one that the caller prefers, or the default if it accepts none. */
export function chooseProblemFormat(headers: Headers): FormatName {
  const ranges = acceptedRanges(headers)
  const quality = (name: FormatName) =>
    Math.max(qualityOfFormat(name, ranges), qualityOf(FORMATS[name].problemType, ranges))
  return findBest(ranges, ALL_FORMATS, quality) ?? DEFAULT_FORMAT
}

/** Tells whether the caller wants a page at least as much as data, as browsers do. */
export function prefersPage(headers: Headers): boolean {
  const ranges = acceptedRanges(headers)
  const page = ranges.find(({ type }) => type === HTML) ?? ranges.find(({ type }) => type === 'text/*')
  if (!page || page.q === 0) return false
  return ALL_FORMATS.every((name) => qualityOf(FORMATS[name].mediaType, ranges) <= page.q)
}

function acceptedRanges(headers: Headers): Accept[] {
  const ranges = parseAccept((headers.get('Accept') ?? '').toLowerCase()).filter(({ type }) => type !== '')
  return ranges.length > 0 ? ranges : [{ type: '*/*', params: {}, q: 1 }]
}

function findBest(
  ranges: readonly Accept[],
  offered: readonly FormatName[],
  quality: (name: FormatName) => number,
): FormatName | undefined {
  const [best, ...others] = offered.map((name) => ({ name, q: quality(name) })).toSorted((a, b) => b.q - a.q)
  const html = ranges.find(({ type, q }) => type === HTML && q > 0)
  if (!best || !html) return best && best.q > 0 ? best.name : undefined
  const { mediaType, alias }: Format = FORMATS[best.name]
  const rivals = ranges.filter(({ type }) => type !== mediaType && type !== alias).map(({ q }) => q)
  const isFavourite = best.q > Math.max(...rivals, ...others.map(({ q }) => q))
  return isFavourite ? best.name : offered[0]
}

/** How much a format is wanted, from 0 to 1, by either name of its media type. Wildcards mean the first name. */
function qualityOfFormat(name: FormatName, ranges: readonly Accept[]): number {
  const { mediaType, alias }: Format = FORMATS[name]
  return Math.max(qualityOf(mediaType, ranges), alias === undefined ? 0 : namedQuality(alias, ranges))
}

/** How much a media type is wanted by a range that names it; 0 if none does. */
function namedQuality(mediaType: string, ranges: readonly Accept[]): number {
  return ranges.find(({ type }) => type === mediaType)?.q ?? 0
}

/** How much a media type is wanted, from 0 to 1: of the ranges that hold it the narrowest says. */
function qualityOf(mediaType: string, ranges: readonly Accept[]): number {
  const [group] = mediaType.split('/')
  for (const pattern of [mediaType, `${group}/*`, '*/*']) {
    const range = ranges.find(({ type }) => type === pattern)
    if (range) return range.q
  }
  return 0
}
