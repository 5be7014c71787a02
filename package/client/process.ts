import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { parentPort } from 'node:worker_threads'
import { checkServer } from './requests.ts'
import type { Message } from './thread.ts'

// Runs the command `galaxy` in a process of its own. The process holds one end of a pipe (`--with-parent`). The other
// end closes with this process, however it ends. This is how the command notices.

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** How long the command may take to end. It takes 2 seconds at most, unless the machine is busy. */
const STOP_TIMEOUT_MS = 10_000

/** How much of what the command has printed is in the message of an error. */
const PRINTED_CHARS_MAX = 8_000

export interface CommandSettings {
  /** The file of the command, its arguments, and the folder and the environment of the process that wants it. */
  file: string
  args: readonly string[]
  cwd: string
  env: Record<string, string | undefined>
  timeoutMs: number
}

/** The one that this thread has started. It ends with the thread. */
let running: { child: Child; closed: Promise<string> } | undefined
let isStopping = false

/**
 * Runs the command until it is ready, and answers.
 *
 * @returns Its base URL
 * @throws Error with what it has printed, if it ends, or takes longer than `timeoutMs`. Then no process is left
 */
export async function startCommand({ file, args, cwd, env, timeoutMs }: CommandSettings): Promise<string> {
  const child = spawn(process.execPath, [file, '--json', '--with-parent', ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd,
    env,
    // In a group of its own: Ctrl-C in a terminal goes to the test runner, which still needs the server to clean up. On
    // Windows, a group of its own would have a window of its own.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  const printed = keepEnd(child.stderr)
  const closed = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  running = { child, closed }
  try {
    const { url } = JSON.parse(await firstLine(child, closed, printed, timeoutMs))
    await checkServer(url)
    closed.then((reason) => {
      const message: Message = { note: `Galaxy at ${url} has ended (${reason}).\n${printed()}` }
      if (!isStopping) parentPort?.postMessage(message)
    })
    return url
  } catch (error) {
    await stopCommand()
    throw error
  }
}

/** Ends the command: it ends when its input does. Resolves when all processes that hold its output have ended. */
export async function stopCommand(): Promise<void> {
  isStopping = true
  if (!running) return
  const { child, closed } = running
  child.stdin.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await closed
  clearTimeout(timer)
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

/** Reads a stream to its end. @returns A function that returns its last characters */
function keepEnd(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk) => (text = (text + chunk).slice(-PRINTED_CHARS_MAX)))
  return () => text.trim()
}
