import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/root.ts'
import { LATER_NAME, LATER_SQL } from '../support/later-migration.ts'

/** What commands need beside `scripts` and `migrations`. */
const LINKED = ['data', 'dist', 'node_modules', 'package.json', 'src', 'wrangler.toml']

/** This project with one more migration. Its commands run in its folder. */
export async function makeLaterProject(): Promise<{ root: string; remove(): Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'galaxy-later-test-'))
  for (const name of LINKED) await symlink(join(ROOT, name), join(root, name))
  // Scripts find the project from where they are, so these are no links.
  for (const name of ['scripts', 'migrations']) await cp(join(ROOT, name), join(root, name), { recursive: true })
  await writeFile(join(root, 'migrations', `${LATER_NAME}.sql`), LATER_SQL)
  return { root, remove: () => rm(root, { recursive: true }) }
}
