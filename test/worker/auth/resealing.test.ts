import { beforeEach, describe, expect, it } from 'vitest'
import { PURPOSES } from '../../../src/auth/signing-secrets.ts'
import { openSession } from '../../../src/db/client.ts'
import { type DataKey, Vault } from '../../../src/lib/vault.ts'
import { listSealedWith, replaceSealed } from '../../../src/stores/sealed-values.ts'
import { sweep } from '../../../src/sweep.ts'
import { type Account, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'

const keyOf = (version: string): DataKey => ({ version, bytes: new Uint8Array(32).fill(Number(version)) })
const [OLD, NEW] = [keyOf('1'), keyOf('2')]
const before = new Vault([OLD])
const during = new Vault([NEW, OLD])
const after = new Vault([NEW])

const AUTH = { scheme: 'bearerAuth', token: 'spice' }
const VERSIONS = `select substr(sealed, 1, instr(sealed, '.') - 1) as version, count(*) as count from (
  select secret as sealed from webhooks union all select auth from webhooks
  union all select secret from signing_secrets union all select previous from signing_secrets
) where sealed is not null group by 1 order by 1`

let client: Client
let account: Account

const clientWith = (vault: Vault) => createClient({ vault })
const sweepWith = (vault: Vault) => sweep({ ...client.services, vault })

beforeEach(async () => {
  client = clientWith(before)
  await run('delete from webhooks')
  await run('delete from signing_secrets')
  account = await createAccount(client)
})

async function run<Row>(query: string, ...values: unknown[]): Promise<Row[]> {
  const statement = client.services.database.withSession('first-primary').prepare(query)
  return (await statement.bind(...values).all<Row>()).results
}

async function subscribe(number = 0): Promise<string> {
  const subscription = { url: `https://receiver.example/${number}`, events: ['newPlanet'], auth: AUTH }
  const response = await client.sendJson('POST', '/webhooks', subscription, account)
  expect(response.status).toBe(201)
  return (await bodyOf(response)).secret
}

/** Stores a subscription with an encrypted secret. The number is a part of its URL. */
async function storeWebhook(number: number, sealed: string): Promise<void> {
  await run(
    `insert into webhooks (user_id, url, events, status, origin, secret, created_at, active_since)
     values (?, ?, '[]', 'paused', 'https://galaxy.test', ?, 0, 0)`,
    account.id,
    `https://receiver.example/${number}`,
    sealed,
  )
}

async function rotateSigningSecret(): Promise<string> {
  return (await bodyOf(await client.sendJson('POST', '/me/signing-secret/rotate', undefined, account))).secret
}

describe('after a new key was put in front of DATA_KEY', () => {
  it('the sweep encrypts what is stored with the new key, and the old key can go', async () => {
    const secret = await subscribe()
    const previous = await rotateSigningSecret()
    const newest = await rotateSigningSecret()
    expect(await run(VERSIONS)).toEqual([{ version: '1', count: 4 }])

    await sweepWith(during)
    expect(await run(VERSIONS)).toEqual([{ version: '2', count: 4 }])
    const [webhook] = await run<{ secret: string; auth: string }>('select secret, auth from webhooks')
    const [stored] = await run<{ secret: string; previous: string }>('select secret, previous from signing_secrets')
    expect([
      await after.open(webhook?.secret ?? '', PURPOSES.webhook(account.id)),
      await after.open(webhook?.auth ?? '', PURPOSES.webhookAuth(account.id)),
      await after.open(stored?.secret ?? '', PURPOSES.user(account.id)),
      await after.open(stored?.previous ?? '', PURPOSES.user(account.id)),
    ]).toEqual([secret, JSON.stringify(AUTH), newest, previous])
  })

  it('a sweep encrypts at most 100 values', async () => {
    const sealed = await before.seal('secret', PURPOSES.webhook(account.id))
    const rows = Array.from({ length: 101 }, (_, number) => number)
    for (const number of rows) await storeWebhook(number, sealed)
    await sweepWith(during)
    expect(await run(VERSIONS)).toEqual([
      { version: '1', count: 1 },
      { version: '2', count: 100 },
    ])
    await sweepWith(during)
    expect(await run(VERSIONS)).toEqual([{ version: '2', count: 101 }])
  })

  it('what cannot be decrypted stays as it is', async () => {
    await subscribe()
    await run("update webhooks set secret = '1.AAAA.AAAA'")
    await sweepWith(during)
    expect(await run('select secret from webhooks')).toEqual([{ secret: '1.AAAA.AAAA' }])
    expect(await run(VERSIONS)).toEqual([
      { version: '1', count: 1 },
      { version: '2', count: 1 },
    ])
  })

  it('more than 100 values that cannot be decrypted do not keep others from being encrypted', async () => {
    const rows = Array.from({ length: 150 }, (_, number) => number)
    for (const number of rows) await storeWebhook(number, '1.AAAA.AAAA')
    await storeWebhook(rows.length, await before.seal('secret', PURPOSES.webhook(account.id)))
    const isEncrypted = async () => (await run(VERSIONS)).length === 2
    // A sweep tries 100 of the 151 values. The probability that 40 sweeps miss the same value is below 10^-18.
    for (let count = 0; count < 40 && !(await isEncrypted()); count++) await sweepWith(during)
    expect(await run(VERSIONS)).toEqual([
      { version: '1', count: 150 },
      { version: '2', count: 1 },
    ])
  })

  it('a secret that its owner changes meanwhile is not overwritten', async () => {
    await rotateSigningSecret()
    const values = await listSealedWith(openSession(client.services.database, 'first-primary').db, ['1'], 100)
    const newest = await rotateSigningSecret()
    await replaceSealed(
      openSession(client.services.database, 'first-primary').db,
      values.map((value) => ({ ...value, resealed: '2.replaced.by-the-sweep' })),
    )
    const response = await client.get('/me/signing-secret', { Authorization: `Bearer ${account.token}` })
    expect(await bodyOf(response)).toMatchObject({ secret: newest })
  })
})

it('with one key, the sweep reads no secrets', async () => {
  await subscribe()
  await sweepWith(after)
  expect(await run(VERSIONS)).toEqual([{ version: '1', count: 2 }])
})
