import type * as z from 'zod'
import { ProblemError } from '../../domain/problems.ts'
import { pointerTo } from '../../lib/objects.ts'
import { isPercentEncoded } from '../../lib/text.ts'
import { decodeText } from '../pipeline/formats.ts'
import { requireType } from './content-type.ts'
import { requireSafeInput } from './input-safety.ts'
import { type BodyReader, contentTooLarge, requireValid } from './reader.ts'

export const FORM_TYPE = 'application/x-www-form-urlencoded'

const FORM_MAX_BYTES = 64 * 1024

/** What all forms have in common. */
function formOf(schema: z.ZodObject) {
  return {
    kind: 'form',
    documented: { required: true, schema, mediaTypes: [FORM_TYPE] },
    requireMediaType: (headers: Headers) => requireType(headers, FORM_TYPE),
    maxBytes: FORM_MAX_BYTES,
    tooLarge: () => contentTooLarge('body', FORM_MAX_BYTES),
  } as const
}

/**
 * A body that is a form with text fields. No parameter may be sent twice (RFC 6749, section 3.2).
 *
 * @param repeatable The parameters that may be sent more than once nevertheless. Their values come as one text, with
 * spaces between them
 */
export function form<Schema extends z.ZodObject>(
  schema: Schema,
  repeatable: readonly string[] = [],
): BodyReader<z.output<Schema>> {
  return {
    ...formOf(schema),
    async read(bytes) {
      const parameters = parametersOf(new URLSearchParams(decodeForm(bytes)), repeatable)
      requireSafeInput(parameters, [])
      return requireValid(schema, parameters)
    },
  }
}

/** Octets that are percent-encoded one after another. */
const ENCODED_OCTETS = /(?:%[\da-f]{2})+/gi

/**
 * Decodes a form: ASCII, in which other characters are percent-encoded UTF-8, or UTF-8 itself. The media type has no
 * parameter `charset` (its registration, https://www.iana.org/assignments/media-types), so a charset that a client adds
 * to all texts, such as ISO-8859-1, means nothing (RFC 2045, section 5).
 *
 * @throws ProblemError 400 if the bytes, or those that are percent-encoded, are not UTF-8
 */
export function decodeForm(bytes: Uint8Array): string {
  const text = decodeText(bytes)
  if (text.match(ENCODED_OCTETS)?.every(isPercentEncoded) === false) throw notPercentEncoded()
  return text
}

/** The error for a form that would be read as another text. */
export function notPercentEncoded(): ProblemError {
  return new ProblemError('malformed-body', 'The form is not valid percent-encoded UTF-8.')
}

/**
 * A form whose parameters the route passes on as they are, because what comes next checks them. Bytes that are no UTF-8
 * become U+FFFD, as in a URL.
 *
 * @param schema Only for the OpenAPI document
 */
export function uncheckedForm(schema: z.ZodObject): BodyReader<URLSearchParams> {
  return {
    ...formOf(schema),
    read: async (bytes) => new URLSearchParams(new TextDecoder().decode(bytes)),
  }
}

/** @throws ProblemError 400 if a parameter is repeated */
function parametersOf(parameters: URLSearchParams, repeatable: readonly string[]): Record<string, string> {
  const repeated = repeatedNames(parameters).filter((name) => !repeatable.includes(name))
  if (repeated.length > 0) {
    const faults = repeated.map((name) => ({ pointer: pointerTo([name]), detail: 'must be sent only once' }))
    throw new ProblemError('invalid-body', 'The form has repeated parameters.', { faults })
  }
  const joined = repeatable
    .filter((name) => parameters.has(name))
    .map((name) => [name, parameters.getAll(name).join(' ')])
  return { ...Object.fromEntries(parameters), ...Object.fromEntries(joined) }
}

/** The names of parameters that are sent more than once. */
export function repeatedNames(parameters: URLSearchParams): string[] {
  return [...groupByName(parameters)].filter(([, values]) => values.length > 1).map(([name]) => name)
}

/** The parameters by name: each as its value, or as the list of its values if it is repeated. */
export function valuesByName(parameters: URLSearchParams): Record<string, unknown> {
  const values = [...groupByName(parameters)].map(([name, all]) => [name, all.length === 1 ? all[0] : all])
  return Object.fromEntries(values)
}

/** The values of each name, in one pass. `getAll` for each name would pass over all parameters again for each. */
function groupByName(parameters: URLSearchParams): Map<string, string[]> {
  const byName = new Map<string, string[]>()
  for (const [name, value] of parameters) {
    const values = byName.get(name)
    if (values) values.push(value)
    else byName.set(name, [value])
  }
  return byName
}
