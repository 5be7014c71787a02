/** The keys of a table that is written out in full: such a table has no others, which TypeScript cannot know. */
export function keysOf<Table extends object>(table: Table): (keyof Table)[] {
  return Object.keys(table) as (keyof Table)[]
}

/** The members of a record that are there. */
export function definedEntries<Value>(record: Readonly<Record<string, Value | undefined>>): [string, Value][] {
  return Object.entries(record).filter((entry): entry is [string, Value] => entry[1] !== undefined)
}

const POINTER_MAX = 1000

/**
 * The JSON Pointer to a member (RFC 6901, section 3); where it would be longer than anyone reads, to the nearest member
 * around it: a hostile body must not get an answer many times its size.
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
