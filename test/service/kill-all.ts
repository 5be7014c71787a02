import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { until } from './callbacks-client.ts'

const run = promisify(execFile)

/**
 * Kills all processes that run with a state folder, and their children, as if they crashed in the same moment. Waits
 * until all of them have ended.
 *
 * @param untilMoment Resolves at the moment at which they are killed
 */
export async function killAll(
  folder: string,
  untilMoment: () => Promise<void> = async () => {},
  whenKilled: () => void = () => {},
): Promise<void> {
  const doomed = await listProcesses(folder)
  await untilMoment()
  // A proxy that lived longer than the service behind it would still answer requests, with an error.
  for (const pid of doomed) signal(pid, 'SIGSTOP')
  for (const pid of doomed) signal(pid, 'SIGKILL')
  whenKilled()
  await until(
    async () => (await listProcesses(folder, doomed)).length,
    (alive) => alive === 0,
  )
}

/** How long it takes at most until something is under way. */
const MOMENT_TIMEOUT_MS = 5_000

/** Waits for a moment, at the precision of a turn of the event loop. */
export async function untilMoment(isNow: () => boolean): Promise<void> {
  const end = performance.now() + MOMENT_TIMEOUT_MS
  while (!isNow() && performance.now() < end) await new Promise((resolve) => setImmediate(resolve))
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
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
