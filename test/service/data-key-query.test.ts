import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getTableName } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { SEALED_COLUMNS } from '../../src/stores/sealed-columns.ts'
import { DiskWorld } from './disk-world.ts'

// The query of docs/operating.md, by which an operator sees whether an old key of DATA_KEY is still needed.

const page = await readFile(join(ROOT, 'docs', 'operating.md'), 'utf8')
const [, query = ''] = /--command "(select [^"]* from kept_replies[^"]*)"/.exec(page) ?? []

let world: DiskWorld

beforeAll(async () => {
  world = await DiskWorld.create({ hasRows: true })
})

afterAll(() => world.remove())

it('counts the values of every column with encrypted values, by their keys', () => {
  const stored = Object.values(SEALED_COLUMNS).map(({ name, table }, index) => {
    const tableName = getTableName(table)
    const where = tableName === 'kept_replies' ? 'where claim is null' : ''
    const change = `update ${tableName} set ${name} = '${index}.iv.text' ${where}`
    const changed = world.change((database) => database.prepare(change).run().changes)
    expect(changed, change).toBeGreaterThan(0)
    return { key: String(index), stored: changed }
  })
  expect(world.query(query).map((row) => ({ ...row }))).toEqual(stored)
})
