import { ENTITY_MAX_BYTES } from '../../domain/limits.ts'
import { type Fault, ProblemError } from '../../domain/problems.ts'
import { parseContentType, unsupportedType } from '../../http/body/content-type.ts'
import { faultsOf } from '../../http/body/faults.ts'
import { decodeForm, FORM_TYPE, notPercentEncoded, valuesByName } from '../../http/body/form.ts'
import { requireSafeInput } from '../../http/body/input-safety.ts'
import { type BodyReader, contentTooLarge, requireValid } from '../../http/body/reader.ts'
import { decodeText } from '../../http/pipeline/formats.ts'
import { parseJson } from '../../http/pipeline/json.ts'
import { isPercentEncoded } from '../../lib/text.ts'
import { PlanetForm, PlanetQuery } from '../../schemas/planet-query.ts'

// Two readers of a query for planets: the whole query string of a URL, and the content of QUERY. The third, the
// parameters of GET, is a schema (schemas/planet-query.ts).

const JSON_TYPE = 'application/json'
const QUERY_TYPES = [JSON_TYPE, FORM_TYPE]

/** Maximum size of a query in a URL, in bytes. */
const QUERY_STRING_MAX_BYTES = 8192

const SEARCH_EXAMPLE = '/planets/search?%7B%22name%22%3A%22Mars%22%7D'

/**
 * Reads a query that is the whole query string of a URL: percent-encoded JSON. `+` is a plus.
 *
 * @param search With its question mark; empty if the URL has none
 * @throws ProblemError 400, or 414 if it is too long
 */
export function readQueryString(search: string): PlanetQuery {
  const encoded = search.replace(/^\?/, '')
  if (encoded === '') return PlanetQuery.parse({})
  // A URL contains ASCII only.
  if (encoded.length > QUERY_STRING_MAX_BYTES) {
    throw new ProblemError(
      'uri-too-long',
      `The query of the URL can have at most ${QUERY_STRING_MAX_BYTES} bytes. Send a longer one as the content of QUERY /planets.`,
    )
  }
  const value = parseQueryString(encoded)
  const result = PlanetQuery.safeParse(value)
  if (result.success) return result.data
  throw invalidQueryString(MEMBERS_RULE, faultsOf(result.error))
}

const MEMBERS_RULE = 'has invalid members'

function parseQueryString(encoded: string): object {
  const value = decodeQueryString(encoded)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidQueryString(`must be one percent-encoded JSON object, such as ${SEARCH_EXAMPLE}`)
  requireSafeInput(value, [], (faults) => invalidQueryString(MEMBERS_RULE, faults))
  return value
}

/** The JSON value of a query string; undefined if it has none. */
function decodeQueryString(encoded: string): unknown {
  try {
    // As in the content of QUERY, a byte order mark is no part of the text.
    return parseJson(decodeURIComponent(encoded).replace(/^\uFEFF/, ''))
  } catch (error) {
    if (error instanceof ProblemError || error instanceof URIError) return undefined
    throw error
  }
}

function invalidQueryString(rule: string, faults?: readonly Fault[]): ProblemError {
  return new ProblemError('invalid-query', `The query of the URL ${rule}.`, faults && { faults })
}

/** The content of QUERY /planets: JSON or a form. */
export const queryContent: BodyReader<PlanetQuery> = {
  kind: 'entity',
  documented: { required: true, schema: PlanetQuery, mediaTypes: [JSON_TYPE], others: { [FORM_TYPE]: PlanetForm } },
  requireMediaType: (headers) => void typeOf(headers),
  maxBytes: ENTITY_MAX_BYTES,
  tooLarge: () => contentTooLarge('body', ENTITY_MAX_BYTES),
  async read(bytes, { headers }) {
    const isForm = typeOf(headers) === FORM_TYPE
    const value = isForm ? parseForm(bytes) : parseJson(decodeText(bytes, parseContentType(headers).charset))
    requireSafeInput(value, [])
    return requireValid(isForm ? PlanetForm : PlanetQuery, value)
  },
}

/** @throws ProblemError 400 if there is no media type (RFC 10008 requires it), or 415 */
function typeOf(headers: Headers): string {
  const { type } = parseContentType(headers)
  if (QUERY_TYPES.includes(type)) return type
  if (type !== '') throw unsupportedType(type, QUERY_TYPES)
  throw new ProblemError('malformed-body', `A QUERY needs a Content-Type: ${QUERY_TYPES.join(' or ')}.`)
}

/**
 * The fields of a form; a list for each that is repeated. A percent sign that encodes nothing is a fault too, as in the
 * query of a URL.
 *
 * @throws ProblemError 400
 */
function parseForm(bytes: Uint8Array): Record<string, unknown> {
  const text = decodeForm(bytes)
  if (!isPercentEncoded(text)) throw notPercentEncoded()
  return valuesByName(new URLSearchParams(text))
}
