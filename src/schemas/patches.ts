import * as z from 'zod'
import { doc } from '#doc'
import { isInside, parsePointer } from '../lib/json-pointer.ts'
import { checkAlways, list } from './fields.ts'

export const OPERATIONS_MAX = 1000

/** A location in a document, as the list of its names. */
const Location = z
  .string()
  .transform((text, { addIssue }) => {
    const location = parsePointer(text)
    if (location) return location
    addIssue({ code: 'custom', message: 'must be a JSON Pointer: empty, or beginning with / (RFC 6901)' })
    return z.NEVER
  })
  .meta({ type: 'string', format: 'json-pointer' })

/** The members that an operation needs beside `op` and `path` (RFC 6902, section 4). */
const NEEDS = {
  add: ['value'],
  remove: [],
  replace: ['value'],
  move: ['from'],
  copy: ['from'],
  test: ['value'],
} as const

const operationNames = Object.keys(NEEDS) as (keyof typeof NEEDS)[]

/** Leaves out what the kind of an operation does not define: such members must be ignored (RFC 6902, section 4). */
function leaveOutUndefined(operation: unknown): unknown {
  if (typeof operation !== 'object' || operation === null || !('op' in operation)) return operation
  const name = operationNames.find((known) => known === operation.op)
  if (!name) return operation
  const defined: readonly string[] = ['op', 'path', ...NEEDS[name]]
  return Object.fromEntries(Object.entries(operation).filter(([member]) => defined.includes(member)))
}

const PatchOperation = z
  .object({
    op: z.enum(operationNames).meta({ id: 'JsonPatchOperationName', examples: ['replace'] }),
    path: Location.meta({ description: doc('Where: a JSON Pointer (RFC 6901)'), examples: ['/description'] }),
    from: Location.meta({
      description: doc('For `move` and `copy`: the JSON Pointer to what is moved or copied'),
      examples: ['/name'],
    }).optional(),
    value: z
      .unknown()
      .meta({ description: doc('For `add`, `replace` and `test`: any JSON value') })
      .optional(),
  })
  .check(
    checkAlways<{ op?: unknown; path?: unknown; from?: unknown; value?: unknown }>((operation, { addIssue }) => {
      const { op, path, from } = operation
      const name = operationNames.find((known) => known === op)
      for (const member of name ? NEEDS[name] : []) {
        if (operation[member] === undefined)
          addIssue({ code: 'custom', path: [member], message: `is required if op is ${name}` })
      }
      if (name === 'move' && Array.isArray(path) && Array.isArray(from) && isInside(path, from))
        addIssue({ code: 'custom', path: ['path'], message: 'must not be inside from (RFC 6902, section 4.4)' })
    }),
  )
  .meta({ id: 'JsonPatchOperation', description: doc('An operation of a JSON Patch (RFC 6902, section 4)') })

/** A JSON Patch (RFC 6902). */
export const JsonPatch = list(z.preprocess(leaveOutUndefined, PatchOperation), OPERATIONS_MAX).meta({
  id: 'JsonPatch',
  description: doc('A JSON Patch (RFC 6902): operations, which are carried out in their order, all or none of them'),
  examples: [
    [
      { op: 'replace', path: '/name', value: 'Arrakis' },
      { op: 'add', path: '/tags', value: ['desert'] },
      { op: 'add', path: '/tags/-', value: 'spice' },
      { op: 'test', path: '/tags/0', value: 'desert' },
    ],
  ],
})

/**
 * A merge patch for a planet (RFC 7396). It is a map in the document, because most generated classes can not send null.
 * The result is validated as a planet, not the patch.
 */
export const PlanetMergePatch = z.record(z.string(), z.unknown()).meta({
  id: 'PlanetMergePatch',
  description: doc(
    'A merge patch (RFC 7396): the members of a planet that change. Null removes a member. A list replaces the whole list.',
  ),
  examples: [{ name: 'Arrakis', tags: ['desert'], physicalProperties: { gravity: 0.9, mass: null }, image: null }],
})
