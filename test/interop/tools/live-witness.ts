import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, until } from '../../service/callbacks-client.ts'
import type { Witness, WitnessedWorld } from '../../service/crash.ts'
import { bodyOf } from '../../service/galaxy.ts'
import type { HeardEvent } from '../../service/live-universe.ts'
import type { Receiver } from '../../service/receiver.ts'
import { requireTool } from './require-tool.ts'

const { EventSource } = requireTool('eventsource')

const POLL_MS = 50
const QUIET_TIMEOUT_MS = 60_000
/** For how many planets the channel of the planet is asked, too. */
const SAMPLE = 20

/** A reader that comes again after each crash. */
interface Reader {
  name: string
  /** Resolves when it listens for the first time. */
  isOpen: Promise<void>
  /** What it listens to, of the events of the log. */
  wants(event: HeardEvent): boolean
  /** The ids that it has heard, in order, also twice. */
  heard: string[]
  /** How many of them had happened before the reader was back. */
  missed: number
  close(): void
}

/** Listens over a socket and over server-sent events, and resumes both with the last id. */
export class LiveWitness implements Witness {
  #readers: Reader[] = []
  /** Everything that the log has had. The log itself keeps the newest 10,000 rows. */
  readonly #log: HeardEvent[] = []
  #url = ''
  #isJudging = false

  async begin(url: string, { createPlanet, countPromised }: WitnessedWorld): Promise<void> {
    this.#url = url
    const stayAway = async () => {
      const before = countPromised()
      while (countPromised() === before && !this.#isJudging) await sleep(POLL_MS)
    }
    this.#readers = [openSocketReader(url, stayAway), openStreamReader(url, stayAway)]
    await Promise.all(this.#readers.map(({ isOpen }) => isOpen))
    await createPlanet()
    // Without the id of an event, a reader could not resume.
    await until(
      () => this.#readers.every(({ heard }) => heard.length > 0),
      (isHeard) => isHeard,
    )
  }

  async readLog(client: Client): Promise<void> {
    this.#log.push(...(await listEvents(client, this.#log.at(-1)?.eventId)))
  }

  async judge(client: Client, promised: ReadonlyMap<number, string | undefined>, receiver: Receiver) {
    this.#isJudging = true
    await this.readLog(client)
    const log = this.#log
    const faults = compareLogs(await listEvents(client), log)
    for (const reader of this.#readers) {
      const wanted = log.filter(reader.wants).map(({ eventId }) => eventId)
      await until(
        () => missingFrom(reader, wanted).length,
        (missing) => missing === 0,
        QUIET_TIMEOUT_MS,
      ).catch(() => {})
      faults.push(...judgeReader(reader, wanted))
      reader.close()
    }
    faults.push(...findUntold(log, promised), ...compareCallbacks(log, receiver))
    for (const id of [...promised.keys()].slice(-SAMPLE)) faults.push(...(await compareChannel(this.#url, id, log)))
    return faults
  }

  /** How many events came twice. */
  get doubles(): number {
    return this.#readers.reduce((sum, { heard }) => sum + heard.length - new Set(heard).size, 0)
  }

  /** How many events each reader had missed, and has heard later. */
  get missed(): number[] {
    return this.#readers.map(({ missed }) => missed)
  }

  get heard(): number {
    return this.#readers.reduce((sum, { heard }) => sum + heard.length, 0)
  }

  close(): void {
    for (const reader of this.#readers) reader.close()
  }
}

/** Resolves when a planet was created without the reader, so that it has missed something when it comes back. */
type StayAway = () => Promise<void>

/** Reads the channel of celestial bodies. */
function openSocketReader(url: string, stayAway: StayAway): Reader {
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>()
  const reader = { name: 'the socket', isOpen, wants: isOfBodies, heard: [] as string[], missed: 0, close }
  let isClosed = false
  let socket: WebSocket
  let openedAt = 0
  const connect = () => {
    if (isClosed) return
    const last = reader.heard.at(-1)
    const query = last === undefined ? '' : `?lastEventId=${last}`
    socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1/celestial-bodies/events${query}`)
    socket.onopen = () => {
      openedAt = Date.now()
      open()
    }
    socket.onmessage = ({ data }) => {
      const { eventId, timestamp } = JSON.parse(data)
      if (eventId === undefined) return
      reader.heard.push(eventId)
      if (Date.parse(timestamp) < openedAt) reader.missed++
    }
    socket.onclose = () => void stayAway().then(() => setTimeout(connect, POLL_MS))
  }
  connect()
  return reader

  function close(): void {
    isClosed = true
    socket.close()
  }
}

const isOfBodies = ({ eventType }: HeardEvent) => eventType.startsWith('celestial_body.')

/** Reads the stream of planets, as a client that resumes by itself. */
function openStreamReader(url: string, stayAway: StayAway): Reader {
  let attempts = 0
  const fetchLater: typeof fetch = async (...request) => {
    if (attempts++ > 0) await stayAway()
    return await fetch(...request)
  }
  const source = new EventSource(`${url}/planets/events`, { fetch: fetchLater })
  const wants = ({ eventType }: HeardEvent) => eventType === 'planet.created'
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>()
  const reader = { name: 'the stream', isOpen, wants, heard: [] as string[], missed: 0, close: () => source.close() }
  let openedAt = 0
  source.addEventListener('open', () => {
    openedAt = Date.now()
    open()
  })
  source.addEventListener('created', ({ lastEventId, data }: { lastEventId: string; data: string }) => {
    reader.heard.push(lastEventId)
    if (Date.parse(JSON.parse(data).occurredAt) < openedAt) reader.missed++
  })
  return reader
}

/** @param last The id of the last event that is known */
async function listEvents(client: Client, last?: string): Promise<HeardEvent[]> {
  const events: HeardEvent[] = []
  for (let after = last; ; after = events.at(-1)?.eventId) {
    const { data } = await bodyOf(await client.get(`/events?limit=100${after === undefined ? '' : `&after=${after}`}`))
    if (data.length === 0) return events
    events.push(...data)
  }
}

/** What the log has is the end of what it has had. */
function compareLogs(now: readonly HeardEvent[], all: readonly HeardEvent[]): string[] {
  const isSame = now.length > 0 && JSON.stringify(now) === JSON.stringify(all.slice(-now.length))
  return isSame ? [] : ['the log differs from what it was before a crash']
}

function missingFrom({ heard }: Reader, wanted: readonly string[]): string[] {
  const known = new Set(heard)
  return wanted.filter((id) => !known.has(id))
}

/** A reader has to hear all that the log has, under the same ids, and in the same order. */
function judgeReader(reader: Reader, wanted: readonly string[]): string[] {
  const { name, heard } = reader
  const missing = missingFrom(reader, wanted)
  const first = [...new Set(heard)]
  return [
    ...(missing.length > 0 ? [describeMissing(reader, missing, wanted)] : []),
    ...(first.some((id) => !wanted.includes(id)) ? [`${name} has heard of an event that the log does not have`] : []),
    ...(missing.length === 0 && first.join() !== wanted.join()
      ? [`${name} has not heard in the order of the log`]
      : []),
  ]
}

/** Says which events are missing, by their numbers in the log. */
function describeMissing({ name, heard }: Reader, missing: readonly string[], wanted: readonly string[]): string {
  const numbers = missing.slice(0, 10).map((id) => wanted.indexOf(id))
  const last = wanted.indexOf(heard.at(-1) ?? '')
  return `${name} has not heard of ${missing.length} of ${wanted.length} events (${numbers}; the last is ${last})`
}

/** Promised planets whose events are not all in the log, each once. */
function findUntold(log: readonly HeardEvent[], promised: ReadonlyMap<number, string | undefined>): string[] {
  const told = Map.groupBy(log, (event) => planetOf(event))
  return [...promised].flatMap(([id, body]) => {
    const { satellites } = JSON.parse(body ?? '{}')
    if (!Array.isArray(satellites)) return []
    const count = (type: string) => told.get(id)?.filter(({ eventType }) => eventType === type).length
    const counts = ['planet.created', 'satellite.discovered', 'celestial_body.created'].map(count)
    const expected = [1, satellites.length, 1 + satellites.length]
    return counts.join() === expected.join() ? [] : [`planet ${id} is told ${counts} times and not ${expected} times`]
  })
}

/** The planet that an event is about. */
function planetOf(event: HeardEvent): number | undefined {
  const { planet, satellite, celestialBody } = event as Shown
  const body = celestialBody ?? { planet, satellite }
  return body.planet?.id ?? body.satellite?.orbit.planet.id
}

interface Shown {
  planet?: { id: number }
  satellite?: { orbit: { planet: { id: number } } }
  celestialBody?: Pick<Shown, 'planet' | 'satellite'>
}

/** Each callback has the id that its event has in the log. */
function compareCallbacks(log: readonly HeardEvent[], { arrivals }: Receiver): string[] {
  const ids = new Map(
    log.filter(({ eventType }) => eventType === 'planet.created').map((event) => [planetOf(event), event.eventId]),
  )
  return arrivals.flatMap(({ headers, body }) => {
    const { id } = JSON.parse(body.toString())
    const told = headers['x-galaxy-event-id']
    return told === ids.get(id) ? [] : [`the callback of planet ${id} is told as ${told} and not as ${ids.get(id)}`]
  })
}

/** The channel of a planet has the same events as the log. */
async function compareChannel(url: string, planetId: number, log: readonly HeardEvent[]): Promise<string[]> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1/planets/${planetId}/events?includeHistory=true`)
  const frames: string[] = []
  let state = 'not open'
  socket.onopen = () => (state = 'open')
  socket.onmessage = ({ data }) => frames.push(data)
  socket.onclose = ({ code, reason }) => (state = `closed with ${code} ${reason}`.trim())
  const expected = log.filter((event) => !isOfBodies(event) && planetOf(event) === planetId)
  await until(
    () => frames.length,
    (length) => length > expected.length,
  ).catch(() => {})
  const end = state
  socket.close()
  const events = frames.slice(1).map((frame) => JSON.parse(frame))
  const isSame = JSON.stringify(events.map(sorted)) === JSON.stringify(expected.map(sorted))
  const [heard, logged] = [events, expected].map((list) => list.map(({ eventId }) => eventId).join(' '))
  return isSame
    ? []
    : [`the channel of planet ${planetId} (${end}) has the events "${heard}", and the log has "${logged}"`]
}

/** The list has the members of an event in another order. */
const sorted = (event: HeardEvent) => Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))
