import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { openD1, openSession } from '../../../src/db/port.ts'
import { removeAccount } from '../../../src/stores/removed-accounts.ts'

// Every table that refers to users according to the schema. A new table joins by itself.

interface Column {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
}

interface Reference {
  table: string
  from: string
}

interface Parent {
  table: string
  from: string
  to: string
}

const all = async <Row>(query: string, ...values: unknown[]) =>
  (
    await env.DB.prepare(query)
      .bind(...values)
      .all<Row>()
  ).results

const TABLES =
  "select name from sqlite_master where type = 'table' and name not glob '_cf_*' and name not glob 'sqlite_*'"
const tables = (await all<{ name: string }>(TABLES)).map(({ name }) => name)

const parentsOf = (table: string) =>
  all<Parent>(`select "table", "from", "to" from pragma_foreign_key_list('${table}')`)
const columnsOf = (table: string) =>
  all<Column>(`select name, type, "notnull", dflt_value, pk from pragma_table_info('${table}')`)

/** The columns that refer to a user, in all tables. */
const references: Reference[] = []
for (const table of tables) {
  for (const parent of await parentsOf(table)) {
    if (parent.table === 'users') references.push({ table, from: parent.from })
  }
}

let counter = 1_000_000

/** Stores a row with the required columns, and the parents that it needs. @returns The key of the row */
async function store(table: string, given: Record<string, unknown>, userId: number): Promise<unknown> {
  const parents = new Map((await parentsOf(table)).map((parent) => [parent.from, parent]))
  const columns = await columnsOf(table)
  const values: Record<string, unknown> = {}
  for (const { name, type, notnull, dflt_value, pk } of columns) {
    const parent = parents.get(name)
    if (name in given) values[name] = given[name]
    else if (parent?.table === 'users') values[name] = notnull ? userId : null
    else if (parent && notnull) values[name] = await store(parent.table, {}, userId)
    else if ((notnull || pk) && dflt_value === null && !parent) values[name] = makeValue(name, type)
  }
  const names = Object.keys(values)
  const places = names.map(() => '?').join(', ')
  const quoted = names.map((name) => `"${name}"`).join(', ')
  await all(`insert into "${table}" (${quoted}) values (${places})`, ...Object.values(values))
  return values[columns.find(({ pk }) => pk > 0)?.name ?? '']
}

function makeValue(name: string, type: string): unknown {
  counter++
  if (type.toLowerCase() !== 'integer') return `{"made":${counter}}`
  // A column that a constraint bounds is a place in a list; the generation is the user's.
  return name === 'position' || name === 'password_generation' ? 0 : counter
}

async function makeUser(): Promise<number> {
  const [user] = await all<{ id: number }>("insert into users (name, created_at) values ('Row', 0) returning id")
  return user?.id ?? 0
}

const countOf = async ({ table, from }: Reference, userId: number) =>
  (await all<{ n: number }>(`select count(*) as n from "${table}" where "${from}" = ?`, userId))[0]?.n

const REMOVALS: readonly [string, (id: number) => Promise<unknown>][] = [
  [
    'DELETE /me and the sweep remove',
    async (id) => {
      await all('update users set deleted_at = 1 where id = ?', id)
      await removeAccount(
        openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary'),
        env.IMAGES,
        id,
        100,
        {
          origin: {},
          now: new Date(),
        },
      )
    },
  ],
  ['a statement that deletes the row of the user removes', (id) => all('delete from users where id = ?', id)],
]

it.each(REMOVALS)(
  '%s every row of every table that refers to the user, and none of another user',
  async (_, remove) => {
    expect(references.map(({ table }) => table)).toEqual(
      expect.arrayContaining(['planets', 'bodies', 'clients', 'grants']),
    )
    const [user, other] = [await makeUser(), await makeUser()]
    for (const { table, from } of references) {
      for (const id of [user, other]) await store(table, { [from]: id }, id)
    }
    for (const reference of references) expect([reference, await countOf(reference, user)]).not.toEqual([reference, 0])
    await remove(user)
    const left = await Promise.all(
      references.map(async (reference) => ({ ...reference, n: await countOf(reference, user) })),
    )
    expect(left.filter(({ n }) => n !== 0)).toEqual([])
    expect(await all('select id from users where id = ?', user)).toEqual([])
    for (const reference of references) expect([reference, await countOf(reference, other)]).not.toEqual([reference, 0])
    expect(await all('pragma foreign_key_check')).toEqual([])
  },
)
