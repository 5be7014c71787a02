import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../../scripts/lib/root.ts'
import { dueFolders } from './due.ts'
import { isInstalled, LANGUAGE_NAMES } from './languages.ts'
import { stamp } from './stamps.ts'

// `npm run interop` runs the tests of the folders whose inputs have changed since they passed, and builds the clients of
// the scoreboard whose inputs have changed. With `--all`, it runs and builds everything, which one does before a release.
// With names of folders or files, it runs these. `--due` only prints the folders, for `.ci/run`.

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, due: { type: 'boolean' } },
})
const isAll = values.all
const names = isAll ? LANGUAGE_NAMES : await dueFolders()

if (values.due) process.stdout.write(names.map((name) => `${name}\n`).join(''))
else {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const config = join(import.meta.dirname, 'vitest.config.ts')
  const folders = wanted.length > 0 ? LANGUAGE_NAMES : names
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--config', config, ...wanted], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, INTEROP_FOLDERS: folders.join(','), ...(isAll && { INTEROP_ALL: '1' }) },
  })
  if (status === 0 && wanted.length === 0) stamp(names.filter(isInstalled))
  process.exitCode = status ?? 1
}
