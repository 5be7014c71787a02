import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { signingSecrets, webhooks } from '../db/tables.ts'

/** Registry: the columns with sealed values, which are encrypted by lib/vault.ts. */
const COLUMNS = {
  signingSecret: columnOfSigningSecrets('secret'),
  previousSigningSecret: columnOfSigningSecrets('previous'),
  webhookSecret: columnOfWebhooks('secret'),
  webhookAuth: columnOfWebhooks('auth'),
}

export type SealedKind = keyof typeof COLUMNS

const KINDS = Object.keys(COLUMNS) as SealedKind[]

/** A value that is stored encrypted, and the primary key of its row. */
export interface SealedValue {
  kind: SealedKind
  rowKey: number
  userId: number
  sealed: string
}

/** A value that was encrypted again. */
export interface ResealedValue extends SealedValue {
  /** The same value, encrypted with the newest key. */
  resealed: string
}

type Column = (typeof COLUMNS)[SealedKind]

/**
 * Lists at most `limit` values that were encrypted with keys of these versions, chosen at random. Otherwise, values that
 * cannot be decrypted could fill every list. The query reads both tables completely, so call this
 * only while the operator replaces a key.
 */
export async function listSealedWith(db: Database, versions: readonly string[], limit: number): Promise<SealedValue[]> {
  const versionList = JSON.stringify(versions)
  // A sealed value begins with the version of its key and a dot.
  const queries = KINDS.map((kind): SQL => {
    const { table, column, rowKey, userId }: Column = COLUMNS[kind]
    return sql`select ${kind} as kind, ${rowKey} as rowKey, ${userId} as userId, ${column} as sealed from ${table}
      where substr(${column}, 1, instr(${column}, '.') - 1) in (select value from json_each(${versionList}))`
  })
  const union = sql.join(queries, sql` union all `)
  return await db.all<SealedValue>(sql`select * from (${union}) order by random() limit ${limit}`)
}

/** Stores values that were encrypted again, except those whose stored text has changed meanwhile. */
export async function replaceSealed(db: Database, values: readonly ResealedValue[]): Promise<void> {
  const updates = values.map(({ kind, rowKey, sealed, resealed }) =>
    COLUMNS[kind].replace(db, rowKey, sealed, resealed),
  )
  const [first, ...others] = updates
  if (first) await db.batch([first, ...others])
}

function columnOfSigningSecrets(name: 'secret' | 'previous') {
  const column = signingSecrets[name]
  return {
    table: signingSecrets,
    column,
    rowKey: signingSecrets.userId,
    userId: signingSecrets.userId,
    replace: (db: Database, userId: number, sealed: string, resealed: string) =>
      db
        .update(signingSecrets)
        .set({ [name]: resealed })
        .where(and(eq(signingSecrets.userId, userId), eq(column, sealed))),
  }
}

function columnOfWebhooks(name: 'secret' | 'auth') {
  const column = webhooks[name]
  return {
    table: webhooks,
    column,
    rowKey: webhooks.id,
    userId: webhooks.userId,
    replace: (db: Database, id: number, sealed: string, resealed: string) =>
      db
        .update(webhooks)
        .set({ [name]: resealed })
        .where(and(eq(webhooks.id, id), eq(column, sealed))),
  }
}
