import type * as z from 'zod'
import { ENTITY_MAX_BYTES } from '../../domain/limits.ts'
import { ProblemError } from '../../domain/problems.ts'
import { LEVELS_MAX } from '../../lib/json.ts'
import { keysOf, pointerTo } from '../../lib/objects.ts'
import { JsonPatch } from '../../schemas/patches.ts'
import { decodeText } from '../pipeline/formats.ts'
import { parseJson } from '../pipeline/json.ts'
import { parseContentType, typeOfPatch } from './content-type.ts'
import { requireSafeInput } from './input-safety.ts'
import { applyJsonPatch, FailedOperation, PatchConflict, PatchTooDeep } from './json-patch.ts'
import { applyMergePatch } from './merge-patch.ts'
import { type BodyReader, contentTooLarge, requireValid, unprocessable } from './reader.ts'

/**
 * Applies a patch to a document, and returns the result, which can be any value; undefined if the patch removes the
 * whole document. The document is not changed.
 *
 * @throws ProblemError 400 if the patch is malformed; 409 if the document is not as the patch expects; 413 if it would
 * become too large meanwhile; 422 if it would be nested too deeply
 */
export type ApplyPatch = (document: unknown) => unknown

/** Registry: the kinds of patches by media type: how a parsed patch is applied. */
const PATCHES = {
  'application/merge-patch+json': applyMergePatch,
  'application/json-patch+json': applyOperations,
} as const satisfies Record<string, (document: unknown, patch: unknown) => unknown>

const PATCH_TYPES = keysOf(PATCHES)

/**
 * While a JSON Patch is applied, the document has the limits of a body. Without the last one, a patch that copies and
 * removes half of a document again and again would keep the Worker busy for seconds.
 */
const LIMITS = { maxBytes: ENTITY_MAX_BYTES, maxLevels: LEVELS_MAX, maxHandledBytes: 16 * ENTITY_MAX_BYTES }

/**
 * A body that is a patch (RFC 5789). It is parsed when it is applied, because the checks of the resource come before its
 * faults.
 *
 * @param mergePatch The schema of a merge patch for the OpenAPI document
 */
export function patch(mergePatch: z.ZodType): BodyReader<ApplyPatch> {
  return {
    kind: 'patch',
    documented: {
      required: true,
      schema: mergePatch,
      mediaTypes: ['application/merge-patch+json'],
      others: { 'application/json-patch+json': JsonPatch },
    },
    requireMediaType: (headers) => void typeOfPatch(headers, PATCH_TYPES),
    maxBytes: ENTITY_MAX_BYTES,
    tooLarge: () => contentTooLarge('body', ENTITY_MAX_BYTES),
    read: async (bytes, { headers }) => {
      const apply = PATCHES[typeOfPatch(headers, PATCH_TYPES)]
      return (document) => {
        const value = parseJson(decodeText(bytes, parseContentType(headers).charset))
        requireSafeInput(value, [])
        return apply(document, value)
      }
    },
  }
}

/** Applies a JSON Patch. @throws ProblemError 400, 409, 413, 422 */
function applyOperations(document: unknown, value: unknown): unknown {
  const operations = requireValid(JsonPatch, value).map(({ from = [], value, ...operation }) => ({
    ...operation,
    from,
    value,
  }))
  try {
    return applyJsonPatch(structuredClone(document), operations, LIMITS)
  } catch (error) {
    throw error instanceof FailedOperation ? explain(error) : error
  }
}

function explain({ index, cause, message }: FailedOperation): ProblemError {
  const where = `The operation at /${index} of the patch`
  if (cause instanceof PatchConflict) {
    const faults = [{ pointer: pointerTo(cause.location), detail: message }]
    return new ProblemError('patch-conflict', `${where} does not fit the current state. Nothing was stored.`, {
      faults,
    })
  }
  if (cause instanceof PatchTooDeep) {
    const detail = `would be nested more than ${LEVELS_MAX} levels deep`
    return unprocessable([{ pointer: pointerTo(cause.location), detail }])
  }
  return new ProblemError('content-too-large', `${where} is not possible: ${message}.`)
}
