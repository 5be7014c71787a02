import { runInDurableObject } from 'cloudflare:test'
import type { AsyncLocalStorage } from 'node:async_hooks'
import { openEmbeddedDatabase } from '../../src/universes/embedded-database.ts'
import { openUniverseBucket } from '../../src/universes/universe-bucket.ts'

// The database and the bucket of a universe as tests use those of the common world: `env.DB` and `env.IMAGES`.

/** The statements of a batch: texts and values. */
interface Statement {
  text: string
  values: unknown[]
}

/**
 * Opens the database of an object from outside. Each call runs inside the object; a service that uses this database in
 * the place of its own is there already.
 */
export function databaseInside(
  stub: DurableObjectStub,
  ownStorage: AsyncLocalStorage<DurableObjectStorage>,
): D1Database {
  const inside = <Result>(work: (database: D1Database) => Promise<Result>): Promise<Result> => {
    const use = (storage: DurableObjectStorage) => work(openEmbeddedDatabase(storage, () => {}))
    const own = ownStorage.getStore()
    return own ? use(own) : runInDurableObject(stub, (_, { storage }) => use(storage))
  }
  const bound = (database: D1Database, { text, values }: Statement) => database.prepare(text).bind(...values)
  const statements = new WeakMap<object, Statement>()
  const prepare = (text: string, values: unknown[] = []): D1PreparedStatement => {
    const statement = { text, values }
    const all = () => inside((database) => bound(database, statement).all())
    const prepared = {
      bind: (...bindings: unknown[]) => prepare(text, bindings),
      all,
      run: all,
      raw: () => inside((database) => bound(database, statement).raw()),
      async first(column?: string) {
        const [row] = (await all()).results as Record<string, unknown>[]
        return row === undefined ? null : column === undefined ? row : row[column]
      },
    }
    statements.set(prepared, statement)
    return prepared as unknown as D1PreparedStatement
  }
  const session = {
    prepare: (text: string) => prepare(text),
    batch: (list: object[]) =>
      inside((database) => {
        const parts = list.map((item) => statements.get(item) ?? { text: '', values: [] })
        return database.batch(parts.map((part) => bound(database, part)))
      }),
    getBookmark: () => null,
  }
  const exec = (text: string) => session.prepare(text).run()
  return { ...session, exec, withSession: () => session } as unknown as D1Database
}

/** Opens the images of a universe from outside. */
export function bucketInside(bucket: R2Bucket, prefix: string): R2Bucket {
  const list = async (options: R2ListOptions = {}) => {
    const listed = await bucket.list({ ...options, prefix: prefix + (options.prefix ?? '') })
    return { ...listed, objects: listed.objects.map(({ key }) => ({ key: key.slice(prefix.length) })) }
  }
  return { ...openUniverseBucket(bucket, prefix, () => {}), list } as unknown as R2Bucket
}
