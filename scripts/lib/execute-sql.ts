import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './root.ts'
import { type RunWrangler, runWrangler } from './wrangler.ts'

/**
 * Runs SQL of any length on a database.
 *
 * @param target Where the database is: `--remote`, or `--local` with `--persist-to` and a folder
 */
export async function executeSql(
  sql: string,
  target: readonly string[],
  wrangler: RunWrangler = runWrangler,
): Promise<void> {
  const folder = join(ROOT, '.wrangler')
  // Each process has its own file, because two processes may prepare two databases at the same time.
  const file = join(folder, `execute-${process.pid}.sql`)
  await mkdir(folder, { recursive: true })
  await writeFile(file, sql)
  try {
    await wrangler(['d1', 'execute', 'DB', '--yes', '--file', file, ...target])
  } finally {
    await rm(file)
  }
}
