import type { FieldChange } from './happening.ts'

/** The parts of an event that depend on its type. */
export interface EventContents {
  eventType: string
  /** The members of the payload besides the id, the type, the time and the metadata. */
  members: object
  /** The changed members. Null stands for an absent member. */
  changes?: FieldChange[]
  /** Members of the metadata that replace those of the row. */
  metadata?: object
}
