import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { normaliseEmail } from '../../../src/domain/email.ts'
import { stateOfSubject, stateOfUser } from '../../../src/stores/account-states.ts'
import { replaceHash, selectUserByEmail, withName } from '../../../src/stores/users.ts'
import { createClient, primaryOf, storeUser } from '../../support/app.ts'

const client = createClient()
const session = primaryOf(client)
const signUp = (email: string) => storeUser(client, { email, name: null, passwordHash: 'old' })

it('an e-mail address belongs to one account in any case, and keeps its original case', async () => {
  const user = await signUp('Ada@Galaxy.test')
  expect(user).toMatchObject({ email: 'Ada@Galaxy.test', emailKey: 'ada@galaxy.test', name: null })
  await expect(signUp('ADA@galaxy.TEST')).rejects.toThrow('the owner has an account')
  expect(await session.db.read(selectUserByEmail('aDa@galaxy.test'))).toEqual([expect.objectContaining(user)])
  expect(normaliseEmail('ADA@galaxy.TEST')).toBe('ada@galaxy.test')
})

it('an account is found only for its current password, and a late rehash does not undo a new password', async () => {
  const user = await signUp('bob@galaxy.test')
  expect(await session.db.read(stateOfUser(user.id, user.passwordGeneration))).toEqual([
    {
      id: user.id,
      name: null,
      email: 'bob@galaxy.test',
      createdAt: user.createdAt,
      renamedAt: null,
      suspendedAt: null,
      passwordGeneration: user.passwordGeneration,
    },
  ])
  await env.DB.prepare("update users set password_generation = 1, password_hash = 'new' where id = ?")
    .bind(user.id)
    .run()
  expect(await session.db.read(stateOfUser(user.id, user.passwordGeneration))).toEqual([])
  await replaceHash(session, user, 'rehashed')
  expect(await session.db.read(selectUserByEmail('bob@galaxy.test'))).toMatchObject([{ passwordHash: 'new' }])
})

it('a new name has a later time than the one before, and than every whole second so far', () => {
  const now = new Date('2026-01-15T12:00:00.400Z')
  const user = { id: 1, name: null, createdAt: now, renamedAt: null }
  const first = withName(user, 'Eve', now)
  expect(first).toEqual({ ...user, name: 'Eve', renamedAt: new Date('2026-01-15T12:00:01.000Z') })
  expect(withName(first, null, now).renamedAt).toEqual(new Date('2026-01-15T12:00:01.001Z'))
})

it('a user of an issuer has one account', async () => {
  const owner = { issuer: 'https://issuer.example', subject: 'one' }
  const { id } = await storeUser(client, owner)
  await expect(storeUser(client, owner)).rejects.toThrow('the owner has an account')
  expect((await storeUser(client, { ...owner, subject: 'two' })).id).not.toBe(id)
  expect((await storeUser(client, { ...owner, issuer: 'https://other.example' })).id).not.toBe(id)
})

it('a new account does not begin with the password generation of any other', async () => {
  const [first, second] = [await signUp('one@galaxy.test'), await signUp('two@galaxy.test')]
  await storeUser(client, { issuer: 'https://issuer.example', subject: 'three' })
  const [third] = await session.db.read(stateOfSubject('https://issuer.example', 'three'))
  const generations = [first, second, third].map((user) => user?.passwordGeneration ?? 0)
  expect(new Set([0, ...generations]).size).toBe(4)
  for (const generation of generations) expect(Number.isSafeInteger(generation)).toBe(true)
  expect(Math.max(...generations)).toBeGreaterThan(2 ** 32)
})
