import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './root.ts'

// Fails if src/db/tables.ts has changes that no migration contains. drizzle-kit generates migrations into a copy of the
// folder, and there must be nothing to generate. Its exit code does not show this, so its output is checked. The copy
// is inside the project, because drizzle-kit accepts only relative paths.

const folder = await mkdtemp(join(ROOT, 'node_modules', '.migrations-'))
try {
  await cp(join(ROOT, 'migrations'), folder, { recursive: true })
  const options = ['generate', '--dialect', 'sqlite', '--schema', 'src/db/tables.ts', '--out', relative(ROOT, folder)]
  const { stdout, stderr } = await promisify(execFile)('drizzle-kit', options, {
    cwd: ROOT,
    shell: process.platform === 'win32',
  })
  if (!stdout.includes('No schema changes')) {
    console.error(
      `The table definitions have changes that no migration contains. Run: npm run generate\n${stdout}${stderr}`,
    )
    process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true })
}
