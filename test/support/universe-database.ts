import { runInDurableObject } from 'cloudflare:test'
import type { AsyncLocalStorage } from 'node:async_hooks'
import { openUniverseBucket } from '../../src/universes/universe-bucket.ts'

// The database and the bucket of a universe as tests use those of the common world: `env.DB` and `env.IMAGES`.

/** A statement, and its values. */
interface Statement {
  text: string
  values: unknown[]
}

/**
 * Opens the database of an object from outside, as if it were D1. Each call runs inside the object; a service that uses
 * this database in the place of its own is there already.
 */
export function databaseInside(
  stub: DurableObjectStub,
  ownStorage: AsyncLocalStorage<DurableObjectStorage>,
): D1Database {
  const inside = <Result>(work: (storage: DurableObjectStorage) => Result): Promise<Result> | Result => {
    const own = ownStorage.getStore()
    return own ? work(own) : runInDurableObject(stub, (_, { storage }) => work(storage))
  }
  const statements = new WeakMap<object, Statement>()
  const prepare = (text: string, values: unknown[] = []): D1PreparedStatement => {
    const statement = { text, values }
    const all = async () => await inside(({ sql }) => execute(sql, statement))
    const prepared = {
      bind: (...bindings: unknown[]) => prepare(text, bindings),
      all,
      run: all,
      raw: async () => (await all()).results.map((row) => Object.values(row)),
      async first(column?: string) {
        const [row] = (await all()).results
        return row === undefined ? null : column === undefined ? row : row[column]
      },
    }
    statements.set(prepared, statement)
    return prepared as unknown as D1PreparedStatement
  }
  const session = {
    prepare: (text: string) => prepare(text),
    batch: async (list: object[]) =>
      await inside((storage) =>
        storage.transactionSync(() =>
          list.map((item) => execute(storage.sql, statements.get(item) ?? { text: '', values: [] })),
        ),
      ),
    getBookmark: () => null,
  }
  const exec = (text: string) => session.prepare(text).run()
  return { ...session, exec, withSession: () => session } as unknown as D1Database
}

function execute(sql: SqlStorage, { text, values }: Statement) {
  const cursor = sql.exec(text, ...values.map((value) => (typeof value === 'boolean' ? Number(value) : value)))
  const results = cursor.toArray()
  return { success: true, results, meta: { rows_read: cursor.rowsRead, rows_written: cursor.rowsWritten } }
}

/** Opens the images of a universe from outside. */
export function bucketInside(bucket: R2Bucket, prefix: string): R2Bucket {
  const list = async (options: R2ListOptions = {}) => {
    const listed = await bucket.list({ ...options, prefix: prefix + (options.prefix ?? '') })
    return { ...listed, objects: listed.objects.map(({ key }) => ({ key: key.slice(prefix.length) })) }
  }
  return { ...openUniverseBucket(bucket, prefix, () => {}), list } as unknown as R2Bucket
}
