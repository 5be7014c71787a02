import { expect } from 'vitest'
import type { LiveEvent } from '../../src/events/events-of.ts'
import type { SizedLogRow } from '../../src/events/happening.ts'
import type { Subscription, SubscriptionStart } from '../../src/events/subscription.ts'
import { Hub, type HubServices, type HubState } from '../../src/hub/hub.ts'
import { type LogSource, positionOf } from '../../src/hub/log-source.ts'
import { follow, type OpenSocket } from './sockets.ts'

// A hub on a log that the test writes, in an object that the test can let hibernate.

/** A log in memory. Each row of a test has as many events as the test wants. */
export class FakeLog implements LogSource {
  readonly rows: SizedLogRow[] = []
  /** The functions that were called, in order. */
  readonly calls: string[] = []
  /** When rows are written. */
  time = new Date('2026-01-15T12:00:00Z')
  /** How many rows are read at once. */
  rowsAtOnce = 3
  /** A read waits for this. */
  gate: Promise<void> = Promise.resolve()
  failure: Error | undefined
  /** The log no longer has rows up to this place, although somebody may have read its index before. */
  droppedUntil = 0

  /** Writes a row about a planet. @returns The texts that identify its events */
  write(planetId: number, count = 1, more: Partial<SizedLogRow> = {}): string[] {
    const place = (this.rows.at(-1)?.place ?? 0) + 2
    const base = {
      kind: 'planet_updated' as const,
      userId: null,
      createdAt: this.time,
      salt: 'a000000000000001',
      body: '{}',
      details: '{}',
    }
    const row = { ...base, place, planetId, eventCount: count, ...more }
    this.rows.push({ bytes: row.body.length + row.details.length, ...row })
    return Array.from({ length: count }, (_, index) => `${place}.${index}`)
  }

  async readAfter(place: number): Promise<SizedLogRow[]> {
    await this.#call('readAfter')
    return this.rows.filter((row) => row.place > place).slice(0, this.rowsAtOnce)
  }

  async readIndex(): Promise<SizedLogRow[]> {
    await this.#call('readIndex')
    return [...this.rows]
  }

  async readRows(places: readonly number[]): Promise<SizedLogRow[]> {
    await this.#call('readRows')
    return this.rows.filter(({ place }) => places.includes(place) && place > this.droppedUntil)
  }

  async findNewestPlace(): Promise<number> {
    await this.#call('findNewestPlace')
    return this.rows.at(-1)?.place ?? 0
  }

  async locate(eventId: string) {
    await this.#call('locate')
    const [place, index] = eventId.split('.').map(Number)
    const row = this.rows.find((one) => one.place === place && one.place > this.droppedUntil)
    return row && index !== undefined ? positionOf(row, index) : undefined
  }

  /** If a row has details of its own, they are a text that makes its events as large as a test wants. */
  eventsOf({ place, eventCount, createdAt, kind, details }: SizedLogRow): LiveEvent[] {
    if (kind === 'credential_ended') return []
    return Array.from({ length: eventCount }, (_, index) => ({
      eventId: `${place}.${index}`,
      eventType: 'planet.updated',
      timestamp: createdAt.toISOString(),
      metadata: { source: 'rest-api' },
      ...(details !== '{}' && { planetName: JSON.parse(details) }),
    }))
  }

  async #call(name: string): Promise<void> {
    this.calls.push(name)
    await this.gate
    if (this.failure) throw this.failure
  }
}

/** The object of a hub. */
export class FakeObject {
  readonly sockets: WebSocket[] = []
  readonly kept = new Map<string, unknown>()
  readonly wakeUps: number[] = []
  readonly id = crypto.randomUUID()
  /** The responses whose connections the hub has cut. */
  readonly cuts: Response[] = []
  readonly restarts: string[] = []
  /** When the clients of sockets have sent a `ping`, which the runtime answers. */
  readonly pings = new Map<WebSocket, Date>()
  readonly log = new FakeLog()
  now = new Date('2026-01-15T12:00:00Z')
  hub: Hub
  readonly #services: Partial<HubServices>

  constructor(services: Partial<HubServices> = {}) {
    this.#services = services
    this.hub = this.wake()
  }

  /** Makes a new hub, as the runtime does after a hibernation. */
  wake(): Hub {
    this.hub = new Hub(this.#state, {
      log: this.log,
      capacity: 1000,
      now: () => this.now,
      wait: (milliseconds) => this.wait(milliseconds),
      answer: async (requests) => requests.map(({ text }) => text),
      wakeAt: (time) => this.wakeUps.push(time),
      makeCuttable: async (response, signal) => {
        signal.addEventListener('abort', () => void this.cuts.push(response))
        return response
      },
      restart: (reason) => void this.restarts.push(reason),
      ...this.#services,
    })
    return this.hub
  }

  /** Time passes while the hub waits, but not the ten seconds after which closed connections are cut. */
  async wait(milliseconds: number): Promise<void> {
    await scheduler.wait(0)
    if (milliseconds < 10_000) this.now = new Date(this.now.getTime() + milliseconds)
  }

  /** Opens a socket. */
  async open(subscription: Partial<Subscription> = {}, start: Partial<SubscriptionStart> = {}): Promise<OpenSocket> {
    const connection = await this.connect(subscription, start)
    if ('refusal' in connection) throw new Error(connection.refusal)
    const { response } = connection
    if (!response.webSocket) throw new Error('no socket')
    return follow(response, response.webSocket)
  }

  connect(subscription: Partial<Subscription> = {}, start: Partial<SubscriptionStart> = {}) {
    return this.hub.connect({ ...SUBSCRIPTION, ...subscription }, { ...START, ...start })
  }

  get #state(): HubState {
    const { kept, sockets } = this
    return {
      id: this.id,
      acceptWebSocket: (socket) => {
        socket.accept()
        sockets.push(socket)
      },
      getWebSockets: () => sockets,
      setWebSocketAutoResponse: () => {},
      getWebSocketAutoResponseTimestamp: (socket) => this.pings.get(socket) ?? null,
      storage: {
        kv: { get: (key: string) => kept.get(key) },
        put: async (key: string, value: unknown) => void kept.set(key, value),
      } as unknown as HubState['storage'],
    }
  }
}

const SUBSCRIPTION: Subscription = {
  channel: 'planetEvents',
  subject: 1,
  eventTypes: null,
  bodyType: null,
  minHabitability: null,
  isEnveloped: false,
  userId: null,
  hearsOwnEvents: false,
  holder: 'address 192.0.2.1',
  credential: null,
  baseUrl: 'http://galaxy.test',
  connectionId: null,
}

const START: SubscriptionStart = {
  requestId: 'b7b6d9a2-7b0e-4f0e-9d33-6a3c1a3f8f10',
  correlationId: 'b7b6d9a2-7b0e-4f0e-9d33-6a3c1a3f8f10',
  includesHistory: false,
  lastEventId: null,
  checkedAt: 0,
  limit: 100,
}

/** The ids of the events among frames. */
export function idsOf(frames: readonly string[]): string[] {
  return frames.map((frame) => JSON.parse(frame).eventId).filter((id) => id !== undefined)
}

/**
 * Checks what becomes of a socket. One that should be closed is waited for, however busy the machine is. One that
 * should stay open is watched for a moment.
 *
 * @param expected The code with which it is closed, or `open`
 */
export async function expectOutcome(closed: OpenSocket['closed'], expected: number | string): Promise<void> {
  const end = closed.then(([code]) => code)
  expect(await (expected === 'open' ? Promise.race([end, scheduler.wait(20).then(() => 'open')]) : end)).toBe(expected)
}
