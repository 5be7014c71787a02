import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { openSession } from '../../../src/db/client.ts'
import { normaliseEmail } from '../../../src/domain/email.ts'
import { stateOfSubject, stateOfUser } from '../../../src/stores/account-states.ts'
import { insertForeignUser, insertUser, renameUser, replaceHash, selectUserByEmail } from '../../../src/stores/users.ts'
import { TOLD_SIGN_UP } from '../../support/happenings.ts'

const session = openSession({ database: env.DB, hub: undefined }, 'first-primary')
const signUp = (email: string) =>
  insertUser(session, { email, name: undefined, passwordHash: 'old' }, TOLD_SIGN_UP, new Date())

it('an e-mail address belongs to one account in any case, and keeps its original case', async () => {
  const user = await signUp('Ada@Galaxy.test')
  expect(user).toMatchObject({ email: 'Ada@Galaxy.test', emailKey: 'ada@galaxy.test', name: null })
  expect(await signUp('ADA@galaxy.TEST')).toBeUndefined()
  expect(await selectUserByEmail(session.db, 'aDa@galaxy.test')).toEqual([user])
  expect(normaliseEmail('ADA@galaxy.TEST')).toBe('ada@galaxy.test')
})

it('an account is found only for its current password, and a late rehash does not undo a new password', async () => {
  const user = await signUp('bob@galaxy.test')
  if (!user) throw new Error('bob is there already')
  expect(await stateOfUser(session.db, user.id, user.passwordGeneration)).toEqual([
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
  expect(await stateOfUser(session.db, user.id, user.passwordGeneration)).toEqual([])
  await replaceHash(session, user, 'rehashed')
  expect(await selectUserByEmail(session.db, 'bob@galaxy.test')).toMatchObject([{ passwordHash: 'new' }])
})

it('a conditional rename applies only to the expected name, and one without a condition always applies', async () => {
  const user = await signUp('eve@galaxy.test')
  if (!user) throw new Error('eve is there already')
  expect(await renameUser(session, user, 'Eve', null, {}, new Date())).toMatchObject({ name: 'Eve' })
  expect(await renameUser(session, user, 'Eva', null, {}, new Date())).toBe('changed')
  expect(await renameUser(session, user, 'Eva', undefined, {}, new Date())).toMatchObject({ name: 'Eva' })
  const old = { ...user, passwordGeneration: -1 }
  await expect(renameUser(session, old, 'Eva', undefined, {}, new Date())).rejects.toThrow('no account to rename')
})

it('a new account does not begin with the password generation of any other', async () => {
  const [first, second] = [await signUp('one@galaxy.test'), await signUp('two@galaxy.test')]
  await insertForeignUser(session, 'https://issuer.example', 'three', TOLD_SIGN_UP, new Date())
  const [third] = await stateOfSubject(session.db, 'https://issuer.example', 'three')
  const generations = [first, second, third].map((user) => user?.passwordGeneration ?? 0)
  expect(new Set([0, ...generations]).size).toBe(4)
  for (const generation of generations) expect(Number.isSafeInteger(generation)).toBe(true)
  expect(Math.max(...generations)).toBeGreaterThan(2 ** 32)
})
