import { spawn } from 'node:child_process'
import { ROOT } from './root.ts'

// `npm run check` runs the other checks, two at a time. Each uses one core. tsc could use more, but its threads would
// check many types again, so it has the option `--singleThreaded`. All checks run, even if one fails.

/** The npm commands. The longest is first, so that the others run beside it. */
const COMMANDS = ['types', 'drift', 'build', 'build:staging', 'lint', 'layers']
const AT_ONCE = 2

const waiting = [...COMMANDS]
const failed: string[] = []

await Promise.all(Array.from({ length: AT_ONCE }, runNext))
if (failed.length > 0) {
  console.error(`Failed: ${failed.map((check) => `npm run ${check}`).join(', ')}`)
  process.exitCode = 1
}

/** Runs checks, one after the other, until none is left. */
async function runNext(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const { code, output } = await run(check)
    // Printed in one piece, so that the output of two checks is not mixed.
    console.log(`> npm run ${check}\n${output}`)
    if (code !== 0) failed.push(check)
  }
}

/** Runs an npm command. @returns Its exit code, and everything that it printed */
async function run(command: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('npm', ['run', '--silent', command], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm is a script of the shell on Windows.
    shell: process.platform === 'win32',
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject))
  return { code, output }
}
