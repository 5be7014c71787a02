/**
 * The keys of an object literal, with their type. TypeScript assumes that an object can have more keys than its type
 * declares, but an object literal cannot.
 */
export function keysOf<Table extends object>(table: Table): (keyof Table)[] {
  return Object.keys(table) as (keyof Table)[]
}

export function sortByName<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Any value as a record of its members. Null, undefined, numbers and booleans have none. */
export function membersOf(value: unknown): Record<string, unknown> {
  // `Object` never returns null, and its result has the type any, so no cast is needed.
  return Object(value)
}

export function definedEntries<Value>(record: Readonly<Record<string, Value | undefined>>): [string, Value][] {
  return Object.entries(record).filter((entry): entry is [string, Value] => entry[1] !== undefined)
}

/** Maximum length of a pointer in characters. */
const POINTER_MAX = 1000

/**
 * The JSON Pointer to a member (RFC 6901, section 3). If it would be longer than POINTER_MAX characters, it points to
 * the nearest ancestor instead, so that the response to a hostile body is not many times larger than the body.
 */
export function pointerTo(path: readonly PropertyKey[]): string {
  let pointer = ''
  for (const key of path) {
    const next = `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (next.length > POINTER_MAX) break
    pointer = next
  }
  return pointer
}
