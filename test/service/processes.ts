import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { promisify } from 'node:util'

// The processes of this machine.

const run = promisify(execFile)

/** The command lines that name a folder. */
export async function listCommandLines(folder: string): Promise<string[]> {
  const { stdout } = await run('ps', ['-eo', 'args'])
  return stdout.split('\n').filter((line) => line.includes(folder))
}

/** Whether this machine reports its processes in /proc, as Linux does. */
export const tellsProcesses = existsSync('/proc/self/statm')

export interface Process {
  pid: number
  parent: number
  name: string
  /** The time of all its threads since its start, as itself and in the kernel. */
  cpuSeconds: number
  residentBytes: number
}

const PAGE_BYTES = 4096
/** Linux counts in this unit in /proc on every machine, whatever its own clock does. */
const TICKS_PER_SECOND = 100

/** A process and everything below it. Empty if it has ended. */
export function readTree(pid: number): Process[] {
  const processes = readdirSync('/proc').flatMap((entry) => (/^\d+$/.test(entry) ? readProcess(Number(entry)) : []))
  const root = processes.find((process) => process.pid === pid)
  return root ? [root, ...descendantsOf(pid, processes)] : []
}

/**
 * The memory of a process and of everything below it, in bytes. A page that several processes share counts for each of
 * them in part (Pss in proc_pid_smaps(5)), so the sum counts it once.
 *
 * @throws Error if a process has ended, or belongs to somebody else
 */
export function readProportionalBytes(pid: number): { program: string; proportionalBytes: number }[] {
  const tree = readTree(pid)
  if (tree.length === 0) throw new Error(`the process ${pid} has ended`)
  return tree.map(({ pid }) => {
    const program = basename(readlinkSync(`/proc/${pid}/exe`))
    const [, kibibytes] = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
    return { program, proportionalBytes: Number(kibibytes) * 1024 }
  })
}

/** The TCP ports at which a process and everything below it listen. */
export function portsOf(pid: number): number[] {
  const sockets = new Set(readTree(pid).flatMap((process) => listSockets(process.pid)))
  const lines = ['tcp', 'tcp6'].flatMap((table) => readText(`/proc/net/${table}`).trim().split('\n').slice(1))
  const ports = lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    const isListening = state === '0A'
    return isListening && sockets.has(`socket:[${inode}]`) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : []
  })
  return [...new Set(ports)]
}

function listSockets(pid: number): string[] {
  return listOf(() => readdirSync(`/proc/${pid}/fd`)).flatMap((file) =>
    listOf(() => [readlinkSync(`/proc/${pid}/fd/${file}`)]),
  )
}

/** A list that is read from a process; empty if the process, or this file of it, has been closed meanwhile. */
function listOf(read: () => string[]): string[] {
  try {
    return read()
  } catch {
    return []
  }
}

function descendantsOf(pid: number, processes: readonly Process[]): Process[] {
  const children = processes.filter(({ parent }) => parent === pid)
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, processes)])
}

/** Reads a process. Returns an empty list if it has ended meanwhile. */
function readProcess(pid: number): Process[] {
  const [, name, rest = ''] = /\((.*)\) (.*)/s.exec(readText(`/proc/${pid}/stat`)) ?? []
  if (name === undefined) return []
  // The fields after the name, by their numbers in proc_pid_stat(5) minus 3.
  const fields = rest.split(' ').map(Number)
  const [parent = 0, userTicks = 0, systemTicks = 0] = [fields[1], fields[11], fields[12]]
  const residentPages = Number(readText(`/proc/${pid}/statm`).split(' ')[1] ?? 0)
  return [
    {
      pid,
      parent,
      name,
      cpuSeconds: (userTicks + systemTicks) / TICKS_PER_SECOND,
      residentBytes: residentPages * PAGE_BYTES,
    },
  ]
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
