import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WALK_STEPS } from '../../../src/site/walk-steps.ts'
import { PICTURE } from '../in-browser.ts'
import { shareGalaxy } from '../prepared-state.ts'

// What the page shows to people whose browser runs no JavaScript.

const run = promisify(execFile)
const galaxy = shareGalaxy()
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-walk-'))
  await writeFile(join(folder, 'picture.png'), PICTURE)
})
afterAll(() => rm(folder, { recursive: true }))

it('the steps of the walk can be done in a terminal', async () => {
  const script = WALK_STEPS.map(({ id, shell }) => `echo; echo "== ${id}"\n${shell}`).join('\n')
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env: { ...process.env, GALAXY: galaxy.url } })
  const outputs = new Map(stdout.split('\n== ').map((part) => [part.split('\n')[0], part]))
  const statuses = { signup: 201, picture: 200, update: 200, conflict: 412, fault: 503, explode: 200 }
  for (const [step, status] of Object.entries(statuses)) expect(outputs.get(step)).toContain(`HTTP/1.1 ${status}`)
  for (const step of ['created', 'exploded']) expect(outputs.get(step)).toContain('"webhookSignature":"valid"')
  const [computed, received] = (outputs.get('verify') ?? '').split('\n').slice(1)
  expect(received).toBe(computed)
  const live = outputs.get('live') ?? ''
  const ids = [/^socket: (.*)$/m, /^id: (.*)$/m, /"x-galaxy-event-id","value":"(.*)"/].map((way) => way.exec(live)?.[1])
  expect(new Set(ids)).toEqual(new Set([expect.stringMatching(/^[0-9a-f-]{36}$/)]))
  expect(live.match(/x-galaxy-event-id/g)).toHaveLength(2)
})
