import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'

// The check of what a start costs, with bundles whose top level does little or much.

const FUNCTIONS = Array.from({ length: 10_000 }, (_, index) => `export function f${index}(a) { return a + ${index} }`)

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-start-'))
})

afterAll(() => rm(folder, { recursive: true }))

async function check(topLevel: string) {
  await writeFile(join(folder, 'index.js'), [topLevel, ...FUNCTIONS].join('\n'))
  const run = promisify(execFile)(process.execPath, ['scripts/run.cjs', 'check-start', folder], { cwd: ROOT })
  return await run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

const LINE =
  /^Start: \d+ ms of CPU time on this machine, \d+ to compile and \d+ to run: [\d.]+ times the yardstick \(at most [\d.]+\)/

it('a bundle whose top level does little is accepted', async () => {
  const topLevel = `
    import { env, waitUntil } from 'cloudflare:workers'
    if (!JSON.parse(env.SIGNING_KEYS).keys || !env.DATA_KEY || env.SIGNUP !== 'open') throw new Error('no bindings')`
  expect(await check(topLevel)).toEqual({ code: 0, stdout: expect.stringMatching(RegExp(`${LINE.source}\n$`)) })
})

it('a bundle whose top level does much is refused', async () => {
  // More than twice the limit, also if a busy machine makes the yardstick seem twice as long. It is an amount of work
  // and not of time, because other processes take time, too.
  const topLevel = 'let sum = 0; for (let i = 0; i < 2e8; i++) sum = (sum + i) % 7919'
  const refusal = RegExp(
    `${LINE.source}. The bundle is too large, or too much is done at the top level of a module.\n$`,
  )
  expect(await check(topLevel)).toMatchObject({ code: 1, stdout: expect.stringMatching(refusal) })
})

it('a bundle that fails to start is refused', async () => {
  expect(await check('throw new Error("not today")')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not today'),
  })
})
