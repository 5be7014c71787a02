import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './root.ts'

export interface Migration {
  name: string
  sql: string
}

export async function readMigrations(): Promise<Migration[]> {
  const folder = join(ROOT, 'migrations')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return await Promise.all(names.map(async (name) => ({ name, sql: await readFile(join(folder, name), 'utf8') })))
}
