import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

// Runs the command `galaxy` in a process of its own. The process holds one end of a pipe (`--with-parent`). The other
// end closes with this process, however it ends. This is how the command notices.

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** How long the command may take to end. It takes 2 seconds at most, unless the machine is busy. */
const STOP_TIMEOUT_MS = 10_000

/** How much of what the command has printed is in the message of an error. */
const PRINTED_CHARS_MAX = 8_000

const COMMAND = join(dirname(createRequire(import.meta.url).resolve('galaxy/package.json')), 'bin', 'galaxy.cjs')

/**
 * Runs the command until it is ready.
 *
 * @throws Error with what it has printed, if it ends, or takes longer than `timeoutMs`. Then no process is left
 */
export async function runCommand(
  args: readonly string[],
  timeoutMs: number,
): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [COMMAND, '--json', '--with-parent', ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // In a group of its own: Ctrl-C in a terminal goes to the test runner, which still needs the server to clean up. On
    // Windows, a group of its own would have a window of its own.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  const printed = keepEnd(child.stderr)
  const closed = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  let isStopping = false
  let stopped: Promise<void> | undefined
  const stop = () => {
    isStopping = true
    stopped ??= end(child, closed)
    return stopped
  }
  try {
    const { url } = JSON.parse(await firstLine(child, closed, printed, timeoutMs))
    hold(child, false)
    closed.then((reason) => {
      if (!isStopping) console.error(`Galaxy at ${url} has ended (${reason}).\n${printed()}`)
    })
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The line that says that the command is ready. What follows it is read and dropped, so that the pipe never fills. */
async function firstLine(
  child: Child,
  closed: Promise<string>,
  printed: () => string,
  timeoutMs: number,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const fail = (what: string) => reject(new Error(`${what}\n${printed()}`.trim()))
  createInterface(child.stdout).once('line', resolve)
  child.once('error', reject)
  closed.then((reason) => reject(new Error(printed() || `The command galaxy has ended (${reason}) without a message.`)))
  const timer = setTimeout(() => fail(`Galaxy was not ready after ${timeoutMs / 1000} seconds.`), timeoutMs)
  return await promise.finally(() => clearTimeout(timer))
}

/** Ends the command: it ends when its input does. Resolves when all processes that hold its output have ended. */
async function end(child: Child, closed: Promise<string>): Promise<void> {
  hold(child, true)
  child.stdin.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await closed
  clearTimeout(timer)
}

/** Decides whether the child keeps this process running. */
function hold(child: Child, isHeld: boolean): void {
  for (const one of [child, child.stdin, child.stdout, child.stderr]) {
    // What the types call streams are sockets, which are held each for itself.
    if (one === child || one instanceof Socket) isHeld ? one.ref() : one.unref()
  }
}

/** Reads a stream to its end. @returns A function that returns its last characters */
function keepEnd(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk) => (text = (text + chunk).slice(-PRINTED_CHARS_MAX)))
  return () => text.trim()
}
