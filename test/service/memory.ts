import { readTree } from './processes.ts'

/** The resident memory, in MiB, of every workerd that this process has started, through npm and wrangler. */
export function runtimeMemory(): number {
  const runtimes = readTree(process.pid).filter(({ name }) => name === 'workerd')
  if (runtimes.length === 0) throw new Error('no workerd is running below this process')
  return runtimes.reduce((sum, { residentBytes }) => sum + residentBytes, 0) / 2 ** 20
}
