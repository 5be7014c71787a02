import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { openSession } from '../../../src/db/client.ts'
import { normaliseEmail } from '../../../src/lib/email.ts'
import { standingOfUser } from '../../../src/stores/standing.ts'
import { insertUser, replaceHash, selectByEmail } from '../../../src/stores/users.ts'

const { db } = openSession(env.DB, 'first-primary')
const signUp = (email: string) => insertUser(db, { email, name: undefined, passwordHash: 'old' }, new Date())

it('an address is one account in whatever case, and keeps the case it was given in', async () => {
  const user = await signUp('Ada@Galaxy.test')
  expect(user).toMatchObject({ email: 'Ada@Galaxy.test', emailKey: 'ada@galaxy.test', name: null })
  expect(await signUp('ADA@galaxy.TEST')).toBeUndefined()
  expect(await selectByEmail(db, 'aDa@galaxy.test')).toEqual([user])
  expect(normaliseEmail('ADA@galaxy.TEST')).toBe('ada@galaxy.test')
})

it('a standing is found for the password of today only, and a late rehash does not undo a new password', async () => {
  const user = await signUp('bob@galaxy.test')
  if (!user) throw new Error('bob is there already')
  expect(await standingOfUser(db, user.id, 0)).toEqual([
    {
      id: user.id,
      name: null,
      email: 'bob@galaxy.test',
      createdAt: user.createdAt,
      renamedAt: null,
      suspendedAt: null,
      passwordGeneration: 0,
    },
  ])
  await env.DB.prepare("update users set password_generation = 1, password_hash = 'new' where id = ?")
    .bind(user.id)
    .run()
  expect(await standingOfUser(db, user.id, 0)).toEqual([])
  await replaceHash(db, user, 'rehashed')
  expect(await selectByEmail(db, 'bob@galaxy.test')).toMatchObject([{ passwordHash: 'new' }])
})
