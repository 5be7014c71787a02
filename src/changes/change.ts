import type { SQL } from 'drizzle-orm'
import type { Query } from '../db/port.ts'
import type { Reply } from '../domain/reply.ts'
import type { Happening } from '../events/happening.ts'
import type { EventName } from '../schemas/events.ts'
import type { TakenIds } from './ids.ts'
import type { Receiver } from './outbox.ts'

/** What somebody wants to write, as plain data. `commit` writes all of it or nothing. */
export interface Change<Statements extends readonly Query[] = readonly Query[]> {
  /** The ids of the rows that the statements insert. If nothing is written, they are given back. */
  ids?: TakenIds
  /** What must hold when the batch runs. */
  requires?: readonly Requirement[]
  statements: Statements
  /** What the account must have room for. A change with a call that charges nothing else charges only its delivery. */
  charge?: Charge
  /** What readers of events see. */
  happened?: Happened | undefined
  /** The event that every subscription gets, with the body of what happened. */
  announces?: EventName
  /** The event that one receiver gets. */
  calls?: Call | undefined
  /** The reply to the request. A retry with the same Idempotency-Key gets it again. */
  reply?: Reply
}

/** A condition without which nothing is written. */
export interface Requirement {
  holds: SQL
  /** What `commit` throws if it is not true. */
  otherwise: Error
}

/** What a change adds to the usage of an account. A call adds a delivery. */
export interface Charge {
  userId: number
  /** Planets and other celestial bodies, without those in a list of satellites. */
  bodies?: number
  /** Bytes of planets and other celestial bodies. Less than 0 if they become smaller. */
  bodyBytes?: number
  /** An uploaded image: its size in bytes, and the key of the image that it replaces, if there is one. */
  image?: { bytes: number; replaces: string | null }
  /** Deliveries that the statements store, without that of a call. */
  deliveries?: number
  /** True if the change updates or deletes a planet: triggers then change the usage, and only the room is checked. */
  isOnlyChecked?: boolean
}

/** A happening, and who may see its events. */
export type Happened = Happening & {
  /** The only user who may see the events; null or absent if everybody may. */
  userId?: number | null
  /** The planet that the events are about; null or absent if there is not exactly one. */
  planetId?: number | null
  /** The random part of the ids of the events, if the change itself needs an id. */
  salt?: string
}

/** An event for one receiver. If the receiver wants no more calls about the planet of what happened, it gets none. */
export interface Call {
  type: EventName
  receiver: Receiver
  /** JSON: the exact text that is signed and sent. Absent if it is the body of what happened. */
  body?: string
}
