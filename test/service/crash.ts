import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Client, forEachOf, signUp, sweep, until } from './callbacks-client.ts'
import { bodyOf, freePort, type Galaxy, makeStateFolder, startGalaxy } from './galaxy.ts'
import { queryState } from './local-database.ts'
import { openReceiver, type Receiver } from './receiver.ts'

// Repeatedly kills `npm start` and everything that it has started with SIGKILL, while requests create planets, and
// starts it again. Then reports what became of the planets and their callbacks. By hand: node test/service/crash.ts

/** How often the service is killed. */
export const ROUNDS = Number(process.env.CRASHES ?? 3)
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
  /** Ids of promised planets whose callback never arrived. */
  lost: number[]
  /** Messages that arrived more than once. */
  duplicated: number
  /** What is wrong, each in a sentence. */
  faults: string[]
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
  unanswered: number
  owed: number
  faults: string[]
}

/**
 * Crashes the service over and over with one state folder, and waits until nothing is left to be delivered.
 *
 * @param state Removed at the end
 */
export async function crashRepeatedly(
  { folder, remove }: Awaited<ReturnType<typeof makeStateFolder>>,
  print: (line: string) => void,
): Promise<Toll> {
  const stage = { folder, port: await freePort(), receiver: await openReceiver() }
  try {
    const ledger: Ledger = { promised: new Map(), unanswered: 0, owed: 0, faults: [] }
    let galaxy = await start(stage)
    const client = await signUp(galaxy, 'crash@example.com')
    for (let round = 1; round <= ROUNDS; round++) {
      print(`round ${round}: ${await crash(stage, client.by(fetch), ledger)}`)
      if (round === ROUNDS) endLeases(folder)
      galaxy = await start(stage)
    }
    await untilQuiet(galaxy, client).catch(({ message }) => ledger.faults.push(`still pending: ${message}`))
    await verify(client.by(fetch), stage.receiver, ledger)
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

const start = ({ folder, port }: Stage): Promise<Galaxy> =>
  startGalaxy(['--port', String(port), '--persist-to', folder, '--var', RETRY_EACH_SECOND])

/** Creates planets, several at a time, until the service is killed. */
async function crash({ folder, receiver }: Stage, client: Client, ledger: Ledger): Promise<string> {
  const { promised, unanswered } = { promised: ledger.promised.size, unanswered: ledger.unanswered }
  const load = { isOver: false }
  const creators = Array.from({ length: CREATORS }, (_, index) => create(client, receiver, ledger, load, index))
  const loadMs = LOAD_MIN_MS + Math.random() * (LOAD_MAX_MS - LOAD_MIN_MS)
  // A service that has just started needs a while for its first answer.
  await until(
    () => ledger.promised.size,
    (size) => size > promised,
  )
  await sleep(loadMs)
  await killAll(folder, () => (load.isOver = true))
  await Promise.all(creators)
  const called = calledBack(receiver)
  const owed = [...ledger.promised.keys()].slice(promised).filter((id) => !called.has(id)).length
  ledger.owed += owed
  return [
    `killed after ${Math.round(loadMs)} ms`,
    `${ledger.promised.size - promised} planets promised`,
    `${ledger.unanswered - unanswered} requests without an answer`,
    `${owed} callbacks owed`,
  ].join(', ')
}

/** A planet with satellites, so that a crash could cut off the satellites or the ids in the event. */
const planetOf = (creator: number, count: number, successCallbackUrl: string) => ({
  name: `Ω ${creator}/${count}`,
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
  for (let count = 0; !load.isOver; count++) {
    const response = await client.post('/planets', planetOf(creator, count, receiver.url())).catch(() => undefined)
    if (!response) {
      ledger.unanswered++
      // While no service runs, each attempt fails immediately.
      await sleep(5)
    } else if (response.status === 201) {
      const id = Number(response.headers.get('Location')?.split('/').at(-1))
      ledger.promised.set(id, await response.text().catch(() => undefined))
    } else ledger.faults.push(`a creation was answered with ${response.status}: ${await response.text()}`)
  }
}

const run = promisify(execFile)

/** Kills all processes that run with a state folder, and their children. Waits until all of them have ended. */
async function killAll(folder: string, whenKilled: () => void = () => {}): Promise<void> {
  const doomed = await listProcesses(folder)
  for (const pid of doomed) kill(pid)
  whenKilled()
  await until(
    async () => (await listProcesses(folder, doomed)).length,
    (alive) => alive === 0,
  )
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

/** The processes whose command line names the folder, the known ones, and the children of both, youngest first. */
async function listProcesses(folder: string, known: readonly number[] = []): Promise<number[]> {
  const { stdout } = await run('ps', ['-eo', 'pid=,ppid=,stat=,args='])
  const all = stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state, command = ''] = /^ *(\d+) +(\d+) +(\S+) +(.*)$/.exec(line) ?? []
    return state === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
  })
  const found = all.filter(({ pid, command }) => command.includes(folder) || known.includes(pid)).map(({ pid }) => pid)
  // The list grows during the loop, so children of children are found too.
  for (const pid of found)
    found.push(...all.filter((one) => one.parent === pid && !found.includes(one.pid)).map((one) => one.pid))
  return found.reverse()
}

/** Runs the scheduled job until the log contains no pending delivery. */
async function untilQuiet(galaxy: Galaxy, client: Client): Promise<void> {
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
    for (const call of calledBack(receiver).get(id) ?? []) {
      if (call !== body) faults.push(`planet ${id} was told as ${call} and is ${body}`)
    }
  })
}

/** The bodies that came, by the ids of their planets. */
function calledBack({ arrivals }: Receiver): Map<number, string[]> {
  const bodies = arrivals.map(({ body }) => body.toString())
  return Map.groupBy(bodies, (body) => JSON.parse(body).id)
}

function tollOf(receiver: Receiver, { promised, unanswered, owed, faults }: Ledger): Toll {
  const called = calledBack(receiver)
  const messages = receiver.arrivals.map(({ headers }) => headers['webhook-id'])
  return {
    promised: promised.size,
    unanswered,
    owed,
    lost: [...promised.keys()].filter((id) => !called.has(id)),
    duplicated: messages.length - new Set(messages).size,
    faults,
  }
}

if (import.meta.main) {
  const toll = await crashRepeatedly(await makeStateFolder(), console.log)
  console.log(toll)
  process.exitCode = toll.lost.length + toll.faults.length === 0 ? 0 : 1
}
