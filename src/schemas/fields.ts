import * as z from 'zod'
import { doc } from '#doc'
import { countCodePoints } from '../lib/text.ts'
import { isDateTime, parseMoment } from '../lib/time.ts'

// Kinds of field that several schemas use.

/** A text of `minimum` to `maximum` code points. */
export function text(minimum: number, maximum: number) {
  const range = minimum === 0 ? `at most ${maximum}` : `${minimum} to ${maximum}`
  const limits = minimum === 0 ? { maxLength: maximum } : { minLength: minimum, maxLength: maximum }
  return z
    .string()
    .refine((value) => {
      const length = countCodePoints(value)
      return length >= minimum && length <= maximum
    }, `must have ${range} characters`)
    .meta(limits)
}

const ID_FAULT = 'must be an integer from 1 to 2^53 - 1'

/** An identifier: a positive integer that every JSON parser represents exactly. */
export const Id = z
  .number()
  .int(ID_FAULT)
  .min(1, ID_FAULT)
  .meta({ examples: [1] })

const ignored = z.unknown().meta({ description: doc('Set by the service; ignored in requests') })

/**
 * A member that the service sets. A request may contain it, so that a client can send back a document that it read. The
 * service ignores it there.
 */
export const Ignored = ignored.optional()

/**
 * An ignored id in a request. The service accepts any value, but the OpenAPI document says that it is an integer, for
 * generated clients.
 */
export const IgnoredId = ignored.meta({ type: 'integer' }).optional()

/** An ignored time in a request. Any value is accepted, as for `IgnoredId`. */
export const IgnoredDateTime = ignored.meta({ type: 'string', format: 'date-time' }).optional()

/** An identifier in a path or a query: digits without a sign or leading zeros. */
export function idParameter(description: string) {
  return z
    .string()
    .refine((value) => /^[1-9][0-9]*$/.test(value) && Number.isSafeInteger(Number(value)), ID_FAULT)
    .transform(Number)
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description,
      examples: [1],
    })
}

export const PlanetPath = z.object({ planetId: idParameter(doc('The ID of the planet')) })

/** An RFC 3339 date-time that is stored exactly as it was sent. For times that the service acts on, see `Moment`. */
export const DateTime = z
  .string()
  .refine(isDateTime, 'must be an RFC 3339 date-time, such as 1610-01-07T00:00:00Z')
  .meta({ format: 'date-time' })

/** An RFC 3339 date-time that the service acts on. A Date must be able to represent it. `toDate` converts it. */
export const Moment = z
  .string()
  .refine(
    (value) => parseMoment(value) !== undefined,
    'must be an RFC 3339 date-time without a leap second and before the year 10000 in UTC, such as 2030-01-01T00:00:00Z',
  )
  .meta({ format: 'date-time' })
  .brand<'Moment'>()

type Moment = z.infer<typeof Moment>

/** The time of a validated `Moment`. */
export function toDate(moment: Moment): Date {
  const date = parseMoment(moment)
  if (!date) throw new Error('the schema Moment accepted a text that is not a valid time')
  return date
}

const URL_MAX = 2048
// The scheme, a host, then a path, query and fragment. All characters are visible ASCII (`!` to `~`). Characters that
// RFC 3986, section 2 does not allow must be percent-encoded. A host with other characters must be in Punycode.
const HTTP_URL = /^https?:\/\/(?:(?![/\\?#"<>^`{|}%])[!-~])+(?:(?![\\"<>^`{|}%])[!-~]|%[0-9a-f]{2})*$/i

/** A URL or another URI that the service sends. */
export const Uri = z.string().meta({ format: 'uri' })

/** An absolute http or https URL in correct notation. A URL that a parser would have to repair is rejected. */
export const HttpUrl = z
  .string()
  // A URL that is too long has only this fault, because `abort` skips the next check.
  .refine((value) => countCodePoints(value) <= URL_MAX, {
    message: `must have at most ${URL_MAX} characters`,
    abort: true,
  })
  .refine((value) => HTTP_URL.test(value) && URL.canParse(value), 'must be an absolute http or https URL (RFC 3986)')
  .meta({ format: 'uri', maxLength: URL_MAX, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' })

/** Characters that a URI reference can have (RFC 3986, section 4.1). A parser would repair some others. */
const URI_REFERENCE = /^(?:(?![\\"<>^`{|}%])[!-~]|%[0-9a-f]{2})+$/i

/** A URI, or a reference that is relative to a URI, in correct notation. */
export const UriReference = z
  .string()
  .refine((value) => value !== '' && countCodePoints(value) <= URL_MAX, {
    message: `must have 1 to ${URL_MAX} characters`,
    abort: true,
  })
  .refine((value) => URI_REFERENCE.test(value), 'must be a URI reference (RFC 3986)')
  .meta({ format: 'uri-reference', minLength: 1, maxLength: URL_MAX })

/** Any finite number. 1e400 is rejected, because it is infinity as a double. */
export const Measurement = z.number()

// `__proto__` is not in this list, because http/body/input-safety.ts rejects it in every body.
const RESERVED_KEYS: readonly string[] = ['constructor', 'prototype']

/**
 * Check for objects with keys that the client chooses. Rejects keys with a special meaning in JavaScript, and the empty
 * key, which XML cannot represent.
 */
export const freeKeys = checkAlways<object>((value, { addIssue }) => {
  for (const key of Object.keys(value)) {
    if (key === '') addIssue({ code: 'custom', path: [key], message: 'a property name must not be empty' })
    if (RESERVED_KEYS.includes(key))
      addIssue({ code: 'custom', path: [key], message: 'this property name is reserved' })
  }
})

export function list<Item extends z.ZodType>(item: Item, maximum: number) {
  const checkLength = checkAlways<unknown[]>((value, { addIssue }) => {
    if (Array.isArray(value) && value.length > maximum)
      addIssue({ code: 'custom', message: `must have at most ${maximum} items` })
  })
  return z.array(item).check(checkLength).meta({ maxItems: maximum })
}

/** A check that runs even if a member is already invalid, so that the response reports all faults at once. */
export function checkAlways<Value extends object>(
  check: (value: Value, context: z.core.$RefinementCtx<Value>) => void,
): z.core.$ZodCheck<Value> {
  return z.superRefine(check, { when: ({ value }) => typeof value === 'object' && value !== null })
}
