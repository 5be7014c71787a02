import type { JsonValue } from '../../lib/json.ts'

/** A single value stays as it is; several become a list in their order. */
export function groupByName(entries: Iterable<[name: string, value: JsonValue]>): Record<string, JsonValue> {
  const groups = Map.groupBy(entries, ([name]) => name)
  // Unlike an assignment, Object.fromEntries treats __proto__ like any other name.
  return Object.fromEntries(
    [...groups].map(([name, group]): [string, JsonValue] => {
      const [first = '', ...otherValues] = group.map(([, value]) => value)
      return [name, otherValues.length > 0 ? [first, ...otherValues] : first]
    }),
  )
}
