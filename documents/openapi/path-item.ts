import type { Operation, PathItem } from './types.ts'

/** The methods that have a field in a path item (OpenAPI 3.2, section 4.9.1; in 3.1, all but `query`). */
const FIELDS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** Operations whose method has no field are in `additionalOperations` (OpenAPI 3.2). */
export function pathItemOf(operations: readonly (readonly [method: string, Operation])[]): PathItem {
  const fixed = operations.filter(([method]) => FIELDS.includes(method))
  const others = operations.filter(([method]) => !FIELDS.includes(method))
  const additional = Object.fromEntries(others.map(([method, operation]) => [method.toUpperCase(), operation]))
  const item: object = {
    ...Object.fromEntries(fixed),
    ...(others.length > 0 && { additionalOperations: additional }),
  }
  // The type of a path item knows only operations, because almost all code reads nothing else.
  return item as PathItem
}

/** The operations of a path item, by method as the item writes it. */
export function operationsIn(item: PathItem): [method: string, Operation][] {
  const { additionalOperations, ...operations } = item
  return [...Object.entries(operations), ...Object.entries((additionalOperations ?? {}) as object)]
}
