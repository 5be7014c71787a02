import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { createWriteGuard } from '../../../src/auth/write-guard.ts'
import { CredentialEnded } from '../../../src/db/constraints.ts'
import { openD1, openSession, type Session } from '../../../src/db/port.ts'
import { createAccount, createClient, generationOf } from '../../support/app.ts'
import { readDatabase } from '../../support/stored.ts'

const NOW = new Date('2026-11-22T12:00:00Z')

let id: number
let session: Session
let tokenExpiresAt: Date

beforeEach(async () => {
  const client = createClient()
  id = (await createAccount(client)).id
  session = openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary')
  tokenExpiresAt = new Date(NOW.getTime() + 1)
  const credential = { keyId: null, grantId: null, depth: 0, endsAt: null, tokenExpiresAt, provedAt: null }
  const user = { name: null, email: null, createdAt: NOW, renamedAt: null, scopes: [], credential }
  const caller = { id, passwordGeneration: await generationOf(id), ...user }
  session.guard(createWriteGuard(caller, { now: () => NOW }))
})

const change = (set: string) => env.DB.prepare(`update users set ${set} where id = ?`).bind(id).run()

describe('an action that is no write of the database', () => {
  it('is allowed with a valid credential, for which nothing is stored', async () => {
    const before = await readDatabase()
    await session.requireCredential()
    expect(await readDatabase()).toEqual(before)
    expect(session.bookmark()).toEqual(expect.any(String))
  })

  it('is allowed if nobody set a guard', async () => {
    const open = openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary')
    await open.requireCredential()
    expect(open.bookmark()).toBeNull()
  })

  it.each(['suspended_at = 1', 'password_generation = password_generation + 1', 'deleted_at = 1'])(
    'is refused after %s',
    async (set) => {
      await session.requireCredential()
      await change(set)
      await expect(session.requireCredential()).rejects.toThrow(CredentialEnded)
    },
  )

  it('is refused after the token has expired', async () => {
    tokenExpiresAt.setTime(NOW.getTime())
    await expect(session.requireCredential()).rejects.toThrow(CredentialEnded)
  })

  it('fails with the error of the database if there is another one', async () => {
    session.guard(() => ({ sql: 'select * from absent', params: [] }))
    await expect(session.requireCredential()).rejects.toThrow('no such table')
  })
})
