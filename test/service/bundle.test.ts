import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { glob, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BUNDLE_MAX_KIB } from '../../scripts/lib/bundle.ts'
import { ROOT } from '../../scripts/lib/root.ts'

// The check of the bundle, with builds of a size that is just allowed and just too large. Their content is random, so
// that gzip does not make it smaller.

let folder: string
/** The files that the bundle is made from. */
let files: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-bundle-'))
  files = await Array.fromAsync(glob('src/**/*.{ts,tsx}', { cwd: ROOT }))
})

afterAll(() => rm(folder, { recursive: true }))

async function check(kib: number, ...options: string[]) {
  await writeFile(join(folder, 'index.js'), randomBytes(kib * 1024))
  await writeFile(join(folder, 'index.js.map'), randomBytes(1024))
  const parts = {
    'node_modules/zod/a.js': { bytesInOutput: 5 },
    'node_modules/zod/b/c.js': { bytesInOutput: 6 },
    'node_modules/@scope/name/a.js': { bytesInOutput: 100 },
    'src/http/body/a.ts': { bytesInOutput: 20 },
  }
  const inputs = Object.fromEntries(files.map((path) => [path, {}]))
  const outputs = { 'dist/index.js': { inputs: parts }, 'dist/index.js.map': { inputs: {} } }
  await writeFile(join(folder, 'bundle-meta.json'), JSON.stringify({ inputs, outputs }))
  const run = promisify(execFile)(process.execPath, ['scripts/run.cjs', 'check-bundle', folder, ...options], {
    cwd: ROOT,
  })
  return await run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }) => ({ code, stdout }),
  )
}

const PARTS = '      100  @scope/name\n       20  src/http\n       11  zod\n'

it('a bundle of the allowed size is accepted', async () => {
  const line = `Bundle: ${BUNDLE_MAX_KIB} KiB gzip (at most ${BUNDLE_MAX_KIB})\n`
  // The format of gzip itself takes less than 1 KiB.
  expect(await check(BUNDLE_MAX_KIB - 1)).toEqual({ code: 0, stdout: line })
  expect(await check(BUNDLE_MAX_KIB - 1, '--parts')).toEqual({ code: 0, stdout: line + PARTS })
})

it('a larger bundle is refused, with a list of its parts', async () => {
  const line = `Bundle: ${BUNDLE_MAX_KIB + 1} KiB gzip (at most ${BUNDLE_MAX_KIB}). It is too large. These parts are the largest, in bytes before gzip:\n`
  expect(await check(BUNDLE_MAX_KIB)).toEqual({ code: 1, stdout: line + PARTS })
})

it('a file of src that is not in the bundle is refused, unless it only has types', async () => {
  const [missing, types] = ['src/site/index-page.tsx', 'src/domain/reply.ts']
  files = files.filter((path) => path !== missing && path !== types)
  const { code, stdout } = await check(1)
  expect([code, stdout.split('\n').slice(1)]).toEqual([
    1,
    [`${missing} is not in the bundle, and has more than types.`, ''],
  ])
})
