import { beforeEach, describe, expect, it } from 'vitest'
import { readAccountArguments } from '../../../scripts/lib/account-arguments.ts'
import { changeAccount } from '../../../scripts/lib/accounts.ts'
import { Failure } from '../../../scripts/lib/failure.ts'
import { sweep } from '../../../src/sweep.ts'
import { bodyOf, type Client, createClient } from '../../support/app.ts'
import { basic, bearer, type Carried, keyInHeader } from '../../support/credentials.ts'
import { queryAsOperator } from '../../support/operator.ts'
import { makePicture } from '../../support/pictures.ts'
import { loadShippedPlanets } from '../../support/shipped.ts'

// What `npm run account` does. test/service/operator.test.ts runs the command itself.

let client: Client
let credentials: { email: string; password: string }
let user: { id: number }
let token: string

beforeEach(async () => {
  client = createClient({ config: { signupsPerHour: 1000 } })
  // An address with a quotation mark, which SQL has to survive.
  credentials = { email: `o'Hara-${crypto.randomUUID()}@galaxy.test`, password: 'i-love-planets' }
  user = await bodyOf(await client.sendJson('POST', '/user/signup', credentials))
  token = (await bodyOf(await client.sendJson('POST', '/auth/token', credentials))).token
})

const send = (path: string, { headers }: Carried, init: RequestInit = {}) => client.send(path, { ...init, headers })

/** Changes an account. @returns The lines that the command prints */
const change = (command: 'suspend' | 'restore' | 'delete', who: string, confirms?: boolean) =>
  changeAccount(
    { command, who, isConfirmed: confirms === undefined },
    { query: queryAsOperator, confirm: async () => confirms === true },
  )

const makeKey = async () => (await bodyOf(await send('/me/api-keys', bearer(token), { method: 'POST' }))).key

describe('an operator', () => {
  it('suspends an account for every credential at once, and restores it', async () => {
    const carried = [bearer(token), basic(credentials.email, credentials.password), keyInHeader(await makeKey())]
    const statuses = async () => (await Promise.all(carried.map((one) => send('/me', one)))).map(({ status }) => status)
    expect(await statuses()).toEqual([200, 200, 200])
    expect(await change('suspend', credentials.email.toUpperCase())).toEqual([
      `Account ${user.id} (${credentials.email}) is suspended.`,
    ])
    expect(await statuses()).toEqual([403, 403, 403])
    expect((await client.sendJson('POST', '/auth/token', credentials)).status).toBe(403)
    expect(await change('restore', String(user.id))).toEqual([
      `Account ${user.id} (${credentials.email}) is active again.`,
    ])
    expect(await statuses()).toEqual([200, 200, 200])
  })

  it('deletes an account with everything that it owns', async () => {
    await makeKey()
    const planet = await bodyOf(
      await client.send('/planets', {
        method: 'POST',
        body: JSON.stringify({ name: 'Own', satellites: [{ name: 'Moon' }] }),
        headers: { ...bearer(token).headers, 'Content-Type': 'application/json' },
      }),
    )
    const { imageUrl } = await bodyOf(
      await client.upload(`/planets/${planet.id}/image`, makePicture(), { ...credentials, ...user, token }),
    )
    const belongings =
      '1 planets, 1 satellites and stars, 1 images, 1 API keys, 0 OAuth clients, 0 subscriptions, 0 logged callbacks'
    expect(await change('delete', credentials.email.toUpperCase())).toEqual([
      `Account ${user.id} (${credentials.email}) was deleted, together with all its credentials.`,
      `The service will remove the following within a minute: ${belongings}.`,
    ])
    expect((await send('/me', bearer(token))).status).toBe(401)
    expect((await client.sendJson('POST', '/auth/token', credentials)).status).toBe(401)
    await sweep(client.services)
    expect((await client.get(`/planets/${planet.id}`)).status).toBe(404)
    expect((await client.get(imageUrl)).status).toBe(404)
    expect((await client.sendJson('POST', '/user/signup', credentials)).status).toBe(201)
    await expect(change('restore', String(user.id))).rejects.toEqual(new Failure(`Account ${user.id} does not exist.`))
  })

  it('deletes nothing without a confirmation', async () => {
    await expect(change('delete', credentials.email, false)).rejects.toEqual(new Failure('Nothing was deleted.'))
    expect((await send('/me', bearer(token))).status).toBe(200)
    expect(await change('delete', credentials.email, true)).toHaveLength(2)
    expect((await send('/me', bearer(token))).status).toBe(401)
  })

  it('is told if there is no such account', async () => {
    const nobody = 'nobody@galaxy.test'
    for (const command of ['suspend', 'restore', 'delete'] as const)
      await expect(change(command, nobody)).rejects.toEqual(new Failure(`Account ${nobody} does not exist.`))
  })

  it('cannot delete the account that owns the shipped planets', async () => {
    await loadShippedPlanets()
    const refusal = new Failure('Account 1 owns the shipped planets and cannot be deleted.')
    await expect(change('delete', '1')).rejects.toEqual(refusal)
    expect((await client.get('/planets/1')).status).toBe(200)
  })
})

describe('the arguments of npm run account', () => {
  it.each([[], ['suspend'], ['delete', 'ada@galaxy.test'], ['delete', '--yes'], ['suspend', '--remote']])(
    'cannot be %j',
    (...args) => expect(readAccountArguments(args, false)).toBeUndefined(),
  )

  it('may leave the confirmation to the terminal', () => {
    expect(readAccountArguments(['delete', 'ada@galaxy.test'], true)).toEqual({
      command: 'delete',
      who: 'ada@galaxy.test',
      isConfirmed: false,
      target: ['--local'],
    })
  })
})
