import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { PACKAGE } from './package-folder.ts'
import type { Jobs, Message, Request } from './thread.ts'

const FILE = join(PACKAGE, 'dist', 'package', 'client', 'thread.js')

/** The thread in which the library works (thread.ts). It is started when it is needed, and keeps no process running. */
export interface Thread {
  /** @throws Error of the job, or if the thread cannot do it */
  call<Job extends keyof Jobs>(job: Job, ...args: Parameters<Jobs[Job]>): Promise<Awaited<ReturnType<Jobs[Job]>>>
  /** Ends it, with what it has started. A later call starts another one. */
  end(): Promise<void>
}

export function openThread(): Thread {
  let running: RunningThread | undefined
  return {
    async call(job, ...args) {
      running ??= new RunningThread(startWorker())
      // What comes back is what the job returns.
      return (await running.call({ job, args })) as never
    },
    async end() {
      const ending = running
      running = undefined
      await ending?.end()
    },
  }
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

class RunningThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0

  constructor(worker: Worker) {
    this.#worker = worker
    worker.unref()
    worker.on('message', (message: Message) => this.#receive(message))
    worker.on('error', (error) => this.#failAll(`The thread of galaxy has failed: ${error.message}`))
    worker.on('exit', () => this.#failAll('The thread of galaxy has ended.'))
  }

  call({ job, args }: Pick<Request, 'job' | 'args'>): Promise<unknown> {
    const id = ++this.#lastId
    const request: Request = { id, job, args }
    // As long as somebody waits, the process goes on.
    this.#worker.ref()
    this.#worker.postMessage(request)
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  async end(): Promise<void> {
    this.#worker.ref()
    await this.#worker.terminate()
  }

  #receive(message: Message): void {
    if ('note' in message) {
      console.error(message.note)
      return
    }
    const one = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('error' in message) one?.reject(new Error(message.error))
    else one?.resolve(message.value)
  }

  #failAll(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(message))
    this.#waiting.clear()
  }
}

/** @throws Error that says what forbids threads, or has replaced them */
function startWorker(): Worker {
  const { NODE_OPTIONS: _, ...env } = process.env
  let worker: Worker
  try {
    // Options of Node can load what replaces `fetch` in every thread.
    worker = new Worker(FILE, { name: 'galaxy', execArgv: [], env })
  } catch (cause) {
    throw new Error(`galaxy cannot start a thread: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
  if (typeof worker.threadId !== 'number')
    throw new Error('galaxy cannot start a thread, because something has replaced node:worker_threads here.')
  return worker
}
