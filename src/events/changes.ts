import type { Satellite } from '../schemas/satellite.ts'
import type { FieldChange, OldValues } from './happening.ts'

/** Members that are not compared, because they change with every write, or never. */
const UNCOMPARED = ['id', 'creator', 'lastUpdated']

/** The earlier values of the top-level members in which two representations differ. An absent member counts as null. */
export function findOldValues(before: object, after: object): OldValues {
  const old: Readonly<Record<string, unknown>> = { ...withoutNulls(before) }
  const current: Readonly<Record<string, unknown>> = { ...withoutNulls(after) }
  const fields = Object.keys({ ...old, ...current }).filter((field) => !UNCOMPARED.includes(field))
  const changed = fields.filter(
    (field) => JSON.stringify(old[field] ?? null) !== JSON.stringify(current[field] ?? null),
  )
  return Object.fromEntries(changed.map((field) => [field, old[field] ?? null]))
}

/** The changes that lead from earlier values (`findOldValues`) to the current representation. */
export function changesFrom(old: OldValues, current: object): FieldChange[] {
  const values: Readonly<Record<string, unknown>> = { ...current }
  return Object.entries(old).map(([field, oldValue]) => ({
    field,
    oldValue: withoutNulls(oldValue),
    newValue: withoutNulls(values[field] ?? null),
  }))
}

/** A copy without the members that are null, at every depth, because the schemas of events do not allow null. */
export function withoutNulls<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutNulls) as Value
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutNulls(member)])) as Value
}

/** The satellites in a planet's member `satellites`, by id, in the order of the list; empty without a list. */
export function satellitesById(satellites: unknown): Map<number, Satellite> {
  // The cast is safe, because the value comes from a planet. `OldValues` does not say the types of its members.
  const list = (satellites ?? []) as Satellite[]
  return new Map(list.map((satellite) => [satellite.id, satellite]))
}
