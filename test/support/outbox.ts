import { env } from 'cloudflare:workers'
import { targetHostOf } from '../../src/domain/target-host.ts'
import { parseConfig } from '../../src/env.ts'
import type { EventName } from '../../src/schemas/events.ts'
import { SuffixList } from '../../src/stores/suffix-list.ts'
import { type Account, ORIGIN } from './app.ts'

// Stores rows of the outbox in a given state, so that a test need not produce them.

/** The URL of these deliveries. */
export const RECEIVER_URL = 'https://receiver.example/hook'

const targetServices = { config: parseConfig(env), suffixes: new SuffixList(env.ASSETS) }
const hostOfCall = (url: string) => targetHostOf(url, ORIGIN, targetServices)

interface EventRow {
  type: EventName
  planetId: number | null
  body: string
  createdAt: number
  /** Null if all subscribers have their delivery. */
  expandedTo: number | null
}

interface DeliveryRow {
  status: 'pending' | 'delivered' | 'failed' | 'cancelled'
  url: string
  createdAt: number
  nextAttemptAt: number | null
  leasedUntil: number | null
  endedAt: number | null
  event: Partial<EventRow>
}

/** Stores an event whose subscribers all have their delivery, except for the given changes. @returns Its id */
export async function putEvent(changes: Partial<EventRow> = {}): Promise<number> {
  const row = { type: 'planetCreated', planetId: null, body: '{}', createdAt: 0, expandedTo: null, ...changes }
  return await insert(
    'insert into events (type, planet_id, body, created_at, expanded_to) values (?, ?, ?, ?, ?) returning id',
    [row.type, row.planetId, row.body, row.createdAt, row.expandedTo],
  )
}

/** Stores a delivery with its event, due since 1970, except for the given changes. @returns Its id */
export async function putDelivery({ id }: Account, { event, ...changes }: Partial<DeliveryRow> = {}): Promise<number> {
  const row = {
    status: 'pending',
    url: RECEIVER_URL,
    createdAt: 0,
    nextAttemptAt: changes.status === undefined ? 0 : null,
    leasedUntil: null,
    endedAt: null,
    ...changes,
  }
  return await insert(
    `insert into deliveries (event_id, event, planet_id, message_id, user_id, url, origin, status, created_at,
      next_attempt_at, leased_until, ended_at, host) values (?, ?, ?, ?, ?, ?, '${ORIGIN}', ?, ?, ?, ?, ?, ?) returning id`,
    [
      await putEvent({ createdAt: row.createdAt, ...event }),
      event?.type ?? 'planetCreated',
      event?.planetId ?? null,
      `msg_${crypto.randomUUID().replaceAll('-', '')}`,
      id,
      row.url,
      row.status,
      row.createdAt,
      row.nextAttemptAt,
      row.leasedUntil,
      row.endedAt,
      await hostOfCall(row.url),
    ],
  )
}

/**
 * Stores many deliveries of one event, each due a millisecond after the one before.
 * @returns Their ids, in this order
 */
export async function putDeliveries({ id }: Account, count: number, url = RECEIVER_URL): Promise<number[]> {
  const eventId = await putEvent()
  const { results } = await env.DB.prepare(`
    with recursive n(i) as (values (0) union all select i + 1 from n where i + 1 < ?)
    insert into deliveries (event_id, event, message_id, user_id, url, origin, status, created_at, next_attempt_at, host)
      select ?, 'planetCreated', 'msg_' || lower(hex(randomblob(16))), ?, ?, '${ORIGIN}', 'pending', 0, i, ? from n
      returning id`)
    .bind(count, eventId, id, url, await hostOfCall(url))
    .all<{ id: number }>()
  return results.map((row) => row.id).sort((a, b) => a - b)
}

async function insert(statement: string, values: readonly (string | number | null)[]): Promise<number> {
  const row = await env.DB.prepare(statement)
    .bind(...values)
    .first<{ id: number }>()
  if (!row) throw new Error('the database returned no id of a row of a test')
  return row.id
}

/** Deletes all of it. */
export async function emptyOutbox(): Promise<void> {
  const tables = ['call_targets', 'deliveries', 'events', 'refused_callbacks', 'dead_letters', 'inboxes', 'webhooks']
  await env.DB.batch(tables.map((table) => env.DB.prepare(`delete from ${table}`)))
}
