/** The members of a record that are there. */
export function definedEntries<Value>(record: Readonly<Record<string, Value | undefined>>): [string, Value][] {
  return Object.entries(record).filter((entry): entry is [string, Value] => entry[1] !== undefined)
}
