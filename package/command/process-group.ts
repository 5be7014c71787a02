import { type SpawnOptions, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { guard, unguarded } from './guard-runtimes.ts'

/** How long the processes of a group have to end by themselves. */
const ENDING_MS = 1_000
const POLL_MS = 20

/** A command with everything that it has started, unless that has left its group. */
export interface ProcessGroup {
  /** Resolves when the command has ended by itself: the exit code, or as shells number the signal that ended it. */
  ended: Promise<number>
  /** Tells all of them to end, and kills those that have not ended after a second. */
  end(): Promise<void>
  /** Kills all of them at once. */
  kill(): void
}

/**
 * Starts a command in a group of its own, so that it can be ended together with what it has started. If this process is
 * killed, it ends too. Windows has no such groups: there, only the command itself is ended.
 */
export function startGroup(program: string, args: readonly string[], options: SpawnOptions): ProcessGroup {
  const hasGroup = process.platform !== 'win32'
  const child = unguarded(() => spawn(program, args, { ...options, detached: hasGroup }))
  const { pid } = child
  if (pid !== undefined && hasGroup) guard(child, `-${pid}`)
  const signal = (name: NodeJS.Signals | 0): boolean => {
    if (pid === undefined) return false
    if (!hasGroup) return child.kill(name)
    try {
      return process.kill(-pid, name)
    } catch {
      // All of them have ended.
      return false
    }
  }
  let isEnding = false
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, name) => isEnding || resolve(code ?? 128 + (name ? constants.signals[name] : 0)))
  })
  return {
    ended,
    async end() {
      isEnding = true
      signal('SIGTERM')
      for (const deadline = performance.now() + ENDING_MS; signal(0) && performance.now() < deadline; )
        await sleep(POLL_MS)
      signal('SIGKILL')
    },
    kill: () => void signal('SIGKILL'),
  }
}
