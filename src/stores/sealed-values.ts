import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { signingSecrets, webhooks } from '../db/tables.ts'

/** Registry: the columns with sealed values (lib/vault.ts). */
const COLUMNS = {
  signingSecret: columnOfSigningSecrets('secret'),
  previousSigningSecret: columnOfSigningSecrets('previous'),
  webhookSecret: columnOfWebhooks('secret'),
  webhookAuth: columnOfWebhooks('auth'),
}

export type SealedKind = keyof typeof COLUMNS

const KINDS = Object.keys(COLUMNS) as SealedKind[]

/** A value that is stored encrypted, and the key of its row. */
export interface SealedValue {
  kind: SealedKind
  key: number
  userId: number
  sealed: string
}

type Column = (typeof COLUMNS)[SealedKind]

/** Values that keys with these versions have encrypted. This reads both tables, so call it only during a rotation. */
export async function listSealedWith(db: Database, versions: readonly string[], limit: number): Promise<SealedValue[]> {
  const wanted = JSON.stringify(versions)
  const queries = KINDS.map((kind): SQL => {
    const { table, column, key, userId }: Column = COLUMNS[kind]
    return sql`select ${kind} as kind, ${key} as key, ${userId} as userId, ${column} as sealed from ${table}
      where substr(${column}, 1, instr(${column}, '.') - 1) in (select value from json_each(${wanted}))`
  })
  return await db.all<SealedValue>(sql`${sql.join(queries, sql` union all `)} limit ${limit}`)
}

/** Replaces values, except those that have changed meanwhile. */
export async function replaceSealed(db: Database, values: readonly (SealedValue & { next: string })[]): Promise<void> {
  const [first, ...others] = values.map(({ kind, key, sealed, next }) => COLUMNS[kind].replace(db, key, sealed, next))
  if (first) await db.batch([first, ...others])
}

function columnOfSigningSecrets(name: 'secret' | 'previous') {
  const column = signingSecrets[name]
  return {
    table: signingSecrets,
    column,
    key: signingSecrets.userId,
    userId: signingSecrets.userId,
    replace: (db: Database, userId: number, sealed: string, next: string) =>
      db
        .update(signingSecrets)
        .set({ [name]: next })
        .where(and(eq(signingSecrets.userId, userId), eq(column, sealed))),
  }
}

function columnOfWebhooks(name: 'secret' | 'auth') {
  const column = webhooks[name]
  return {
    table: webhooks,
    column,
    key: webhooks.id,
    userId: webhooks.userId,
    replace: (db: Database, id: number, sealed: string, next: string) =>
      db
        .update(webhooks)
        .set({ [name]: next })
        .where(and(eq(webhooks.id, id), eq(column, sealed))),
  }
}
