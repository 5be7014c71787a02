import { existsSync, readdirSync, readFileSync } from 'node:fs'

// The memory that the runtime of the service uses, as Linux reports it.

/** Whether this machine reports the memory of its processes. */
export const tellsMemory = existsSync('/proc/self/statm')

interface Process {
  pid: number
  parent: number
  name: string
}

const PAGE_BYTES = 4096

/** The resident memory, in MiB, of every workerd that this process has started, through npm and wrangler. */
export function runtimeMemory(): number {
  const processes = readdirSync('/proc').flatMap((entry) => (/^\d+$/.test(entry) ? readProcess(Number(entry)) : []))
  const runtimes = descendantsOf(process.pid, processes).filter(({ name }) => name === 'workerd')
  if (runtimes.length === 0) throw new Error('no workerd is running below this process')
  return runtimes.reduce((sum, { pid }) => sum + residentBytes(pid), 0) / 2 ** 20
}

function descendantsOf(pid: number, processes: readonly Process[]): Process[] {
  const children = processes.filter(({ parent }) => parent === pid)
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, processes)])
}

/** Reads a process. Returns an empty list if it has ended meanwhile. */
function readProcess(pid: number): Process[] {
  const [, name = '', parent = ''] = /\((.*)\) \S (\d+) /s.exec(readText(`/proc/${pid}/stat`)) ?? []
  return name === '' ? [] : [{ pid, parent: Number(parent), name }]
}

function residentBytes(pid: number): number {
  return Number(readText(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * PAGE_BYTES
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
