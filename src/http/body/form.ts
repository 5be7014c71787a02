import type * as z from 'zod'
import { ProblemError } from '../../domain/problems.ts'
import { pointerTo } from '../../lib/objects.ts'
import { decodeText } from '../pipeline/formats.ts'
import { parseContentType, requireType } from './content-type.ts'
import { requireSafeInput } from './input-safety.ts'
import { type BodyReader, contentTooLarge, requireValid } from './reader.ts'

export const FORM_TYPE = 'application/x-www-form-urlencoded'

const FORM_MAX_BYTES = 64 * 1024

/** A body that is a form with text fields. No parameter may be sent twice (RFC 6749, section 3.2). */
export function form<Schema extends z.ZodObject>(schema: Schema): BodyReader<z.output<Schema>> {
  return {
    kind: 'form',
    documented: { required: true, schema, mediaTypes: [FORM_TYPE] },
    requireMediaType: (headers) => requireType(headers, FORM_TYPE),
    maxBytes: FORM_MAX_BYTES,
    tooLarge: () => contentTooLarge('body', FORM_MAX_BYTES),
    async read(bytes, { headers }) {
      const { charset } = parseContentType(headers)
      const parameters = parametersOf(new URLSearchParams(decodeText(bytes, charset)))
      requireSafeInput(parameters, [])
      return requireValid(schema, parameters)
    },
  }
}

/**
 * The parameters of a form by name.
 *
 * @throws ProblemError 400 if a parameter is repeated
 */
function parametersOf(parameters: URLSearchParams): Record<string, string> {
  const repeated = repeatedNames(parameters)
  if (repeated.length > 0) {
    const faults = repeated.map((name) => ({ pointer: pointerTo([name]), detail: 'must be sent only once' }))
    throw new ProblemError('invalid-body', 'The form has repeated parameters.', { faults })
  }
  return Object.fromEntries(parameters)
}

/** The names of parameters that are sent more than once. */
export function repeatedNames(parameters: URLSearchParams): string[] {
  return [...new Set(parameters.keys())].filter((name) => parameters.getAll(name).length > 1)
}
