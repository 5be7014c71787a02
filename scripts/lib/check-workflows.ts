import { glob, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { ROOT } from './root.ts'

// Checks the workflows of GitHub with actionlint, as WebAssembly, in a second: `node scripts/run.cjs check-workflows
// [FILE ...]`. Its shell lines are checked and run by test/service/workflows.test.ts.

interface Fault {
  line: number
  column: number
  message: string
}

/**
 * The module that runs actionlint. The rest of the package finds files and prints faults, with 22 packages that
 * `overrides` in package.json replace by nothing.
 */
const RUNNER = join(ROOT, 'node_modules', '@tktco', 'node-actionlint', 'build', 'run-lint.js')
const { runLint }: { runLint(text: string, path: string): Promise<Fault[]> } = createRequire(import.meta.url)(RUNNER)

const named = process.argv.slice(2)
const files = named.length > 0 ? named : await Array.fromAsync(glob('.github/workflows/*.{yml,yaml}', { cwd: ROOT }))
for (const file of files) {
  for (const { line, column, message } of await runLint(await readFile(resolve(ROOT, file), 'utf8'), file)) {
    console.error(`${file}:${line}:${column}: ${message}`)
    process.exitCode = 1
  }
}
if (files.length === 0) {
  console.error('There are no workflows in .github/workflows.')
  process.exitCode = 1
}
