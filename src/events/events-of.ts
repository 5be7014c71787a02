import { makeEventId } from '../domain/event-id.ts'
import { withoutNulls } from './changes.ts'
import type { EventContents } from './event-contents.ts'
import type { Happening, Kind, LogRow } from './happening.ts'
import { PLANET_EVENTS } from './planet-events.ts'
import { USER_EVENTS } from './user-events.ts'

/** An event: the payload that every transport sends. */
export interface LiveEvent {
  eventId: string
  eventType: string
  timestamp: string
  metadata: { source: string; userId?: number; requestId?: string; correlationId?: string }
  readonly [member: string]: unknown
}

/** Derives the events of a happening, in the order in which readers get them. */
type Deriver<K extends Kind> = (happening: Extract<Happening, { kind: K }>) => EventContents[]

/** Registry: how the events of each kind of row are derived. */
const DERIVERS: { readonly [K in Kind]: Deriver<K> } = {
  ...PLANET_EVENTS,
  ...USER_EVENTS,
  triggered: ({ body, details }) => [{ eventType: details.type, members: body, metadata: { source: 'trigger' } }],
  credential_ended: () => [],
  nothing: () => [],
}

/** The events of a row of the log, in the order in which readers get them. */
export function eventsOf(row: LogRow): LiveEvent[] {
  return makeEvents(readHappening(row), row)
}

/** The events of a happening, in the order in which readers get them. @param row Of its row in the log */
export function makeEvents(happening: Happening, { createdAt, salt }: Pick<LogRow, 'createdAt' | 'salt'>): LiveEvent[] {
  const { requestId, userId } = happening.details
  const userOrigin = userId === undefined ? {} : { userId }
  const requestOrigin = requestId === undefined ? {} : { requestId, correlationId: requestId }
  const time = createdAt.getTime()
  return deriveContents(happening).map(({ eventType, members, changes, metadata }, index) => ({
    eventId: makeEventId({ time, index, salt }),
    eventType,
    timestamp: createdAt.toISOString(),
    ...withoutNulls(members),
    ...(changes && { changes }),
    metadata: { source: 'rest-api', ...userOrigin, ...requestOrigin, ...metadata },
  }))
}

export function countEvents(happening: Happening): number {
  return deriveContents(happening).length
}

export function readHappening({ kind, body, details }: LogRow): Happening {
  // The cast is safe, because only changes/log.ts writes rows, and it takes a happening.
  return { kind, body: JSON.parse(body), details: JSON.parse(details) } as Happening
}

function deriveContents(happening: Happening): EventContents[] {
  // The cast is safe, because the deriver under the name of a kind takes the happenings of this kind.
  const derive = DERIVERS[happening.kind] as (happening: Happening) => EventContents[]
  return derive(happening)
}
