import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../scripts/lib/root.ts'

// `npm run benchmark:crash` kills the service 200 times under each of several loads: the crash tests, which kill it
// twice in an ordinary run. Names choose loads, and CRASHES sets another number.

/** Registry: the loads, and how the test of each is run. */
const RUNS: Readonly<Record<string, readonly string[]>> = {
  planets: ['--config', 'test/interop/vitest.config.ts', 'tools/crash.test.ts'],
  observations: ['--project', 'service', 'test/service/observations-crash.test.ts'],
  copies: ['--project', 'service', 'test/service/copy-crash.test.ts'],
  universes: ['--project', 'service', 'test/service/universes-crash.test.ts'],
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(RUNS)
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const env = { ...process.env, CRASHES: process.env.CRASHES ?? '200' }
// One after the other, so that the load of one does not slow the other down.
for (const name of names) {
  const args = RUNS[name]
  if (!args) throw new Error(`There is no load ${name}. Loads: ${Object.keys(RUNS).join(', ')}`)
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...args], { cwd: ROOT, env, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
