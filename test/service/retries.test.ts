import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import {
  IDEMPOTENCY_KEY_MAX,
  KEPT_REPLIES_BYTES_MAX,
  KEPT_REPLIES_HOURS,
  KEPT_REPLIES_MAX,
} from '../../src/domain/limits.ts'
import { sectionOf } from './documentation.ts'
import { bodyOf } from './galaxy.ts'
import { shareGalaxy } from './prepared-state.ts'

// What docs/interface.md says about retries and lost responses. Its commands are in documented-commands.test.ts.

const page = await readFile(join(ROOT, 'docs', 'interface.md'), 'utf8')
const section = sectionOf(page, '### Safe retries')
const galaxy = shareGalaxy()

it('the figures are those of the code', () => {
  expect(section).toContain(`**For ${KEPT_REPLIES_HOURS} hours**`)
  expect(section).toContain(`1 to ${IDEMPOTENCY_KEY_MAX} ASCII characters`)
  const [count, mebibytes] = [KEPT_REPLIES_MAX.toLocaleString('en'), KEPT_REPLIES_BYTES_MAX / 1024 / 1024]
  expect(section).toContain(`If ${count} responses or ${mebibytes} MiB`)
})

describe('a response that is lost', () => {
  /** In the common world, and in a universe of its own. */
  const WORLDS = [
    { world: 'the common world', makeUrl: async () => galaxy.url },
    {
      world: 'a universe',
      makeUrl: async () => (await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))).url,
    },
  ]

  it.each(WORLDS)(
    'comes to its client as a connection that is closed in $world, and a retry gets it',
    async ({ makeUrl }) => {
      const url = await makeUrl()
      const email = `${crypto.randomUUID()}@galaxy.test`
      const json = { 'Content-Type': 'application/json' }
      const account = JSON.stringify({ email, password: 'correct horse' })
      expect((await fetch(`${url}/user/signup`, { method: 'POST', headers: json, body: account })).status).toBe(201)
      const headers = { ...json, Authorization: `Basic ${btoa(`${email}:correct horse`)}`, 'Idempotency-Key': email }
      const create = (prefer: Record<string, string>) =>
        fetch(`${url}/planets`, { method: 'POST', headers: { ...headers, ...prefer }, body: '{"name":"Lost"}' })
      await expect(create({ Prefer: 'drop=response' })).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } })
      const retry = await create({})
      expect([retry.status, retry.headers.get('Idempotency-Replayed')]).toEqual([201, 'true'])
      expect((await bodyOf(await fetch(String(retry.headers.get('Location'))))).name).toBe('Lost')
    },
  )
})
