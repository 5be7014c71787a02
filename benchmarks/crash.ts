import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../scripts/lib/root.ts'

// `npm run benchmark:crash` kills the service 200 times while it creates planets, 200 times while it takes observations,
// and 200 times while it makes universes: the crash tests, which kill it twice in an ordinary run. CRASHES sets another number.

const RUNS = [
  ['--config', 'test/interop/vitest.config.ts', 'tools/crash.test.ts'],
  ['--project', 'service', 'test/service/observations-crash.test.ts'],
  ['--project', 'service', 'test/service/universes-crash.test.ts'],
]

const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const env = { ...process.env, CRASHES: process.env.CRASHES ?? '200' }
// One after the other, so that the load of one does not slow the other down.
for (const args of RUNS) {
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...args], { cwd: ROOT, env, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
