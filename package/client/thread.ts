import { parentPort } from 'node:worker_threads'
import { startCommand, stopCommand } from './process.ts'
import { checkServer, endUniverse, makeUniverse, resetUniverse } from './requests.ts'

// The thread of the library. Here nobody replaces `fetch`, `node:http`, timers or the clock, as tests do in their own
// thread: with stubs, msw, nock or fake timers.

/** Registry: what the thread can do. */
const JOBS = { startCommand, stopCommand, checkServer, makeUniverse, resetUniverse, endUniverse }

export type Jobs = typeof JOBS

/** What the thread is asked to do. */
export interface Request {
  id: number
  job: keyof Jobs
  args: unknown[]
}

/** What it says: how a job has ended, or something for the user. */
export type Message = { id: number; value: unknown } | { id: number; error: string } | { note: string }

const port = parentPort
const post = (message: Message) => port?.postMessage(message)

port?.on('message', async ({ id, job, args }: Request) => {
  try {
    // Who asks has the types of the jobs.
    const work = JOBS[job] as (...args: unknown[]) => Promise<unknown>
    post({ id, value: await work(...args) })
  } catch (error) {
    post({ id, error: error instanceof Error ? error.message : String(error) })
  }
})
