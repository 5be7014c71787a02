import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, forEachOf, signUp, sweep, until } from './callbacks-client.ts'
import { bodyOf, type ScheduledGalaxy, startGalaxy } from './galaxy.ts'
import { killAll, untilMoment } from './kill-all.ts'
import { findDamage, queryState } from './local-database.ts'
import { freePort } from './ports.ts'
import type { makePreparedState } from './prepared-state.ts'
import { openReceiver, type Receiver } from './receiver.ts'

// Repeatedly kills the service and everything that it has started with SIGKILL, while requests create planets, and
// starts it again. Then reports what became of the planets and their callbacks.

/** How often the service is killed. */
export const ROUNDS = Number(process.env.CRASHES ?? 2)
/** The time limit of a test that crashes the service: a round takes seconds, the rest is for reading what is left. */
export const CRASHES_TIMEOUT_MS = 480_000 + ROUNDS * 30_000
const CREATORS = 6
const LOAD_MIN_MS = 300
const LOAD_MAX_MS = 1500
const QUIET_TIMEOUT_MS = 50_000
/** The length of a lease. After it, a delivery that was under way when the service died can be claimed again. */
const LEASE_MS = 30_000
const SHIPPED = 5402
const RETRY_EACH_SECOND = `CALLBACK_RETRY_SECONDS:${Array(20).fill('1').join()}`

/** The effects of the crashes. */
export interface Toll {
  /** Planets whose 201 arrived. */
  promised: number
  /** Requests that were never answered. */
  unanswered: number
  /** Promised planets that had not been called back at the kill after their 201. */
  owed: number
  /** Kills at which callbacks were owed. */
  worthwhile: number
  /** Ids of promised planets whose callback never arrived. */
  lost: number[]
  /** Messages that arrived more than once. */
  duplicated: number
  /** What is wrong, each in a sentence. */
  faults: string[]
}

/** What listens during the crashes, and judges what it has heard. */
export interface Witness {
  /** Called when the service first runs. Resolves when it listens. */
  begin(url: string, world: WitnessedWorld): Promise<void>
  /**
   * Called when the service runs again after a crash. Reads what the log has got since: it does not keep everything.
   */
  readLog(client: Client): Promise<void>
  /** Called after the last crash, when nothing is left to be delivered. @returns What is wrong, each in a sentence */
  judge(client: Client, promised: ReadonlyMap<number, string | undefined>, receiver: Receiver): Promise<string[]>
}

/** What a witness may ask of the crashes. */
export interface WitnessedWorld {
  /** Creates a planet like those that are created until a crash. */
  createPlanet(): Promise<void>
  /** How many planets have been promised so far. */
  countPromised(): number
}

/** A run of the service that will be killed, over the same state each time. */
interface Stage {
  folder: string
  port: number
  receiver: Receiver
}

/** What was promised so far: the body of each 201, by the id of its planet. Undefined if the body was cut off. */
interface Ledger {
  promised: Map<number, string | undefined>
  /** Requests that have been sent, and not been answered yet. */
  underWay: number
  unanswered: number
  owed: number
  worthwhile: number
  faults: string[]
}

/**
 * Crashes the service over and over with one state folder, and waits until nothing is left to be delivered.
 *
 * @param state Removed at the end
 */
export async function crashRepeatedly(
  { folder, remove }: Awaited<ReturnType<typeof makePreparedState>>,
  print: (line: string) => void,
  witness: Witness,
): Promise<Toll> {
  const stage = { folder, port: await freePort(), receiver: await openReceiver() }
  try {
    const ledger: Ledger = { promised: new Map(), underWay: 0, unanswered: 0, owed: 0, worthwhile: 0, faults: [] }
    let galaxy = await start(stage)
    const client = await signUp(galaxy, 'crash@example.com')
    await witness.begin(galaxy.url, {
      createPlanet: () => createOne(client.by(fetch), stage.receiver, ledger, 'first'),
      countPromised: () => ledger.promised.size,
    })
    for (let round = 1; round <= ROUNDS; round++) {
      print(`round ${round}: ${await crash(stage, client.by(fetch), ledger)}`)
      if (round === ROUNDS) endLeases(folder)
      galaxy = await start(stage)
      await witness.readLog(client.by(fetch))
    }
    await untilQuiet(galaxy, client).catch(({ message }) => ledger.faults.push(`still pending: ${message}`))
    await verify(client.by(fetch), stage.receiver, ledger)
    ledger.faults.push(...(await witness.judge(client.by(fetch), ledger.promised, stage.receiver)))
    await killAll(folder)
    ledger.faults.push(...findDamage(folder))
    return tollOf(stage.receiver, ledger)
  } finally {
    await killAll(folder)
    await stage.receiver.close()
    await remove()
  }
}

/** Ends all leases. The clock of the service cannot be set, so the times in the database are moved into the past. */
function endLeases(folder: string): void {
  const [end, next] = ['leased_until', 'next_attempt_at'].map((column) => `${column} = ${column} - ${LEASE_MS}`)
  queryState(folder, `update deliveries set ${end}, ${next} where leased_until is not null`)
}

const start = ({ folder, port }: Stage): Promise<ScheduledGalaxy> =>
  startGalaxy(['--port', String(port), '--persist-to', folder, '--var', RETRY_EACH_SECOND])

/** Creates planets, several at a time, until the service is killed. */
async function crash({ folder, receiver }: Stage, client: Client, ledger: Ledger): Promise<string> {
  const { promised, unanswered } = { promised: ledger.promised.size, unanswered: ledger.unanswered }
  const called = receiver.arrivals.length
  const load = { isOver: false }
  const creators = Array.from({ length: CREATORS }, (_, index) => create(client, receiver, ledger, load, index))
  const loadMs = LOAD_MIN_MS + Math.random() * (LOAD_MAX_MS - LOAD_MIN_MS)
  // A service that has just started needs a while for its first answer.
  await until(
    () => ledger.promised.size,
    (size) => size > promised,
  )
  await sleep(loadMs)
  let owed = 0
  const countOwed = () => owedOf(receiver.arrivals.slice(called), [...ledger.promised.keys()].slice(promised))
  const hasMuchToLose = () => ledger.underWay > 0 && countOwed() > 0
  await killAll(
    folder,
    () => untilMoment(hasMuchToLose),
    () => {
      load.isOver = true
      owed = countOwed()
    },
  )
  await Promise.all(creators)
  ledger.owed += owed
  if (owed > 0) ledger.worthwhile++
  return [
    `killed after ${Math.round(loadMs)} ms`,
    `${ledger.promised.size - promised} planets promised`,
    `${ledger.unanswered - unanswered} requests without an answer`,
    `${owed} callbacks owed`,
  ].join(', ')
}

/** How many of these planets have not been called back. */
function owedOf(arrivals: Receiver['arrivals'], planets: readonly number[]): number {
  const called = calledBack(arrivals)
  return planets.filter((id) => !called.has(id)).length
}

/** A planet with satellites, so that a crash could cut off the satellites or the ids in the event. */
const planetOf = (name: string, successCallbackUrl: string) => ({
  name: `Ω ${name}`,
  satellites: [{ name: 'Krelln' }, { name: 'Muad’Dib', orbit: { distance: 1.5 } }],
  successCallbackUrl,
})

async function create(
  client: Client,
  receiver: Receiver,
  ledger: Ledger,
  load: { isOver: boolean },
  creator: number,
): Promise<void> {
  for (let count = 0; !load.isOver; count++) await createOne(client, receiver, ledger, `${creator}/${count}`)
}

async function createOne(client: Client, receiver: Receiver, ledger: Ledger, name: string): Promise<void> {
  ledger.underWay++
  const response = await client.post('/planets', planetOf(name, receiver.url())).catch(() => undefined)
  ledger.underWay--
  if (!response) {
    ledger.unanswered++
    // While no service runs, each attempt fails immediately.
    await sleep(5)
  } else if (response.status === 201) {
    const id = Number(response.headers.get('Location')?.split('/').at(-1))
    ledger.promised.set(id, await response.text().catch(() => undefined))
  } else ledger.faults.push(`a creation was answered with ${response.status}: ${await response.text()}`)
}

/** Runs the scheduled job until the log contains no pending delivery. */
async function untilQuiet(galaxy: ScheduledGalaxy, client: Client): Promise<void> {
  const countPending = async () => {
    await sweep(galaxy)
    await sleep(1000)
    return (await listDeliveries(client, 'status=pending')).length
  }
  await until(countPending, (pending) => pending === 0, QUIET_TIMEOUT_MS)
}

// biome-ignore lint/suspicious/noExplicitAny: what the log has is read as it is
async function listDeliveries(client: Client, query: string): Promise<any[]> {
  const found = []
  for (let next: string | null = `/deliveries?limit=100&${query}`; next; ) {
    const { data, meta } = await bodyOf(await client.get(next))
    found.push(...data)
    next = meta.next
  }
  return found
}

/** Holds every planet that is stored, promised or not, against what was answered, what is in the log, and what came. */
async function verify(client: Client, receiver: Receiver, { promised, faults }: Ledger): Promise<void> {
  const log = await listDeliveries(client, 'event=planetCreated')
  const told = log.map(({ planetId }) => planetId)
  const called = calledBack(receiver.arrivals)
  const { total } = (await bodyOf(await client.get('/planets?limit=1'))).meta
  if (new Set(told).size !== told.length) faults.push('a planet has two deliveries')
  if (total - SHIPPED !== told.length)
    faults.push(`${total - SHIPPED} planets are stored, ${told.length} have a delivery`)
  for (const { id, status } of log) if (status !== 'delivered') faults.push(`delivery ${id} is ${status}`)
  await forEachOf([...new Set([...told, ...promised.keys()])], CREATORS, async (id) => {
    const response = await client.get(`/planets/${id}`)
    const body = await response.text()
    if (response.status !== 200) faults.push(`planet ${id} is missing (${response.status})`)
    if (body !== (promised.get(id) ?? body)) faults.push(`planet ${id} is torn: ${promised.get(id)} became ${body}`)
    for (const call of called.get(id) ?? []) {
      if (call !== body) faults.push(`planet ${id} was told as ${call} and is ${body}`)
    }
  })
}

/** The bodies that came, by the ids of their planets. */
function calledBack(arrivals: Receiver['arrivals']): Map<number, string[]> {
  const bodies = arrivals.map(({ body }) => body.toString())
  return Map.groupBy(bodies, (body) => JSON.parse(body).id)
}

function tollOf(receiver: Receiver, { promised, unanswered, owed, worthwhile, faults }: Ledger): Toll {
  const called = calledBack(receiver.arrivals)
  const messages = receiver.arrivals.map(({ headers }) => headers['webhook-id'])
  return {
    promised: promised.size,
    unanswered,
    owed,
    worthwhile,
    lost: [...promised.keys()].filter((id) => !called.has(id)),
    duplicated: messages.length - new Set(messages).size,
    faults,
  }
}
