import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findRepetitions } from './docstrings.ts'
import { ROOT } from './root.ts'

for await (const path of glob('{src,browser,documents,laboratory,package,scripts}/**/*.{ts,tsx}', { cwd: ROOT })) {
  for (const { line, text } of findRepetitions(path, await readFile(join(ROOT, path), 'utf8'))) {
    console.error(`${path}:${line}: Delete "${text}", or say what the names beside it do not.`)
    process.exitCode = 1
  }
}
