import type { FieldChange } from './happening.ts'

/** An event without what every event has. */
export interface EventContents {
  eventType: string
  /** The members of the payload besides the id, the type, the time and the metadata. */
  members: object
  /** What has changed, where a null stands for what is absent. */
  changes?: FieldChange[]
  /** The members of the metadata that differ from those of the row. */
  metadata?: object
}
