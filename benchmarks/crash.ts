import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../scripts/lib/wrangler.ts'

// `npm run benchmark:crash` kills the service 200 times while it creates planets, and 200 times while it makes universes:
// the crash tests, which kill it twice in an ordinary run. CRASHES sets another number.

const TESTS = ['test/service/crash.test.ts', 'test/service/universes-crash.test.ts']

const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
// One after the other, so that the load of one does not slow the other down.
const args = [vitest, 'run', '--project', 'service', '--no-file-parallelism', ...TESTS]
const env = { ...process.env, CRASHES: process.env.CRASHES ?? '200' }
spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' }).on('exit', (code) => process.exit(code ?? 1))
