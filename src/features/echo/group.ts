import type { JsonValue } from '../../lib/json.ts'

/** Values by their names: one is itself, several are a list in their order. */
export function groupByName(entries: Iterable<[name: string, value: JsonValue]>): Record<string, JsonValue> {
  const groups = Map.groupBy(entries, ([name]) => name)
  // Object.fromEntries takes __proto__ for a name like any other.
  return Object.fromEntries(
    [...groups].map(([name, group]): [string, JsonValue] => {
      const [first = '', ...others] = group.map(([, value]) => value)
      return [name, others.length > 0 ? [first, ...others] : first]
    }),
  )
}
