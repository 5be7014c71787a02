import { aroundRuns, type SqliteDatabase } from '../../src/db/port.ts'
import { isWrite } from './writes.ts'

// Faults of the platform, at the bindings.

/** A fault: before the call, which then has no effect, or after it, so that only its answer is lost. */
export interface Fault {
  when: 'before' | 'after'
  error: Error
}

/** The real database, of which one write fails, or of which every round trip takes longer. */
export function faultyDatabase(
  database: SqliteDatabase,
  { write = 0, when = 'before', error, delayMs = 0 }: Partial<Fault> & { write?: number; delayMs?: number },
): SqliteDatabase {
  let writes = 0
  return aroundRuns(database, async (statements, run) => {
    if (delayMs > 0) await scheduler.wait(delayMs)
    const isFaulty = statements.some(isWrite) && ++writes === write
    if (isFaulty && when === 'before') throw error
    const outcomes = await run(statements)
    if (isFaulty) throw error
    return outcomes
  })
}

/** The real bucket, of which one kind of call fails. */
export function faultyBucket(bucket: R2Bucket, { method, when, error }: Fault & { method: keyof R2Bucket }): R2Bucket {
  return new Proxy(bucket, {
    get(_, name: keyof R2Bucket) {
      const call = bucket[name].bind(bucket) as (...values: unknown[]) => Promise<unknown>
      if (name !== method) return call
      return async (...values: unknown[]) => {
        if (when === 'after') await call(...values)
        throw error
      }
    },
  })
}

/** The real files of the Worker, of which the first reads fail: by an error, or by a status. */
export function faultyAssets(assets: Fetcher, failures: number, fault: Error | number): Fetcher {
  let left = failures
  const fetch: Fetcher['fetch'] = async (input, init) => {
    if (left-- <= 0) return await assets.fetch(input, init)
    if (fault instanceof Error) throw fault
    return new Response('Not now.', { status: fault })
  }
  return { fetch } as Fetcher
}
