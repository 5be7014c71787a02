import { env } from 'cloudflare:workers'
import { getTableName } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { PURPOSES } from '../../../../src/auth/purposes.ts'
import { openSession } from '../../../../src/db/port.ts'
import { type DataKey, Vault } from '../../../../src/lib/vault.ts'
import { SEALED_COLUMNS } from '../../../../src/stores/sealed-columns.ts'
import { listSealedWith, replaceSealed } from '../../../../src/stores/sealed-values.ts'
import { sweep } from '../../../../src/sweep.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  ROUTES,
} from '../../../support/app.ts'
import { makeGoodRequest, sendGood } from '../../../support/good-requests.ts'

const keyOf = (version: string): DataKey => ({ version, bytes: new Uint8Array(32).fill(Number(version)) })
const [OLD, NEW] = [keyOf('1'), keyOf('2')]
const before = new Vault([OLD])
const during = new Vault([NEW, OLD])
const after = new Vault([NEW])

const AUTH = { scheme: 'bearerAuth', token: 'spice' }
const BOUNDS = { count: 100, size: 1_000_000 }
/** The columns with sealed values, by their names in the database. */
const COLUMNS = Object.values(SEALED_COLUMNS).map(({ name, table }) => ({ table: getTableName(table), column: name }))
const VERSIONS = `select substr(sealed, 1, instr(sealed, '.') - 1) as version, count(*) as count from (
  ${COLUMNS.map(({ table, column }) => `select ${column} as sealed from ${table}`).join(' union all ')}
) where sealed is not null group by 1 order by 1`

let client: Client
let account: Account

const clientWith = (vault: Vault) => createClient({ vault })
const sweepWith = (vault: Vault) => sweep({ ...client.services, vault })

beforeEach(async () => {
  client = clientWith(before)
  await run('delete from webhooks')
  await run('delete from signing_secrets')
  await run('delete from kept_replies')
  account = await createAccount(client)
})

async function run<Row>(query: string, ...values: unknown[]): Promise<Row[]> {
  return (
    await env.DB.prepare(query)
      .bind(...values)
      .all<Row>()
  ).results
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
    `insert into webhooks (user_id, url, events, status, origin, secret, created_at, active_since, canonical_url, host)
     values (?1, ?2, '[]', 'paused', 'https://galaxy.test', ?3, 0, 0, ?2, 'receiver.example')`,
    account.id,
    `https://receiver.example/${number}`,
    sealed,
  )
}

/** An encrypted secret of this size. There is none whose size is a multiple of 4. */
async function sealedOf(size: number): Promise<string> {
  const [tag, tagInBase64] = [16, 22]
  const head = (await before.seal('', PURPOSES.webhook(account.id))).length - tagInBase64
  // In base64, three bytes are four characters.
  const secret = 'a'.repeat(Math.floor(((size - head) * 3) / 4) - tag)
  const sealed = await before.seal(secret, PURPOSES.webhook(account.id))
  expect(sealed.length).toBe(size)
  return sealed
}

/** Stores a kept reply of this size, which cannot be decrypted. */
async function storeReply(key: string, size: number): Promise<void> {
  await run(
    `insert into kept_replies (user_id, key, fingerprint, created_at, reply, maker)
     values (?, ?, 'stored', ?, ?, '{}')`,
    account.id,
    key,
    Date.now(),
    `1.AAAA.${'A'.repeat(size)}`,
  )
}

function createKey(via: Client): Promise<Response> {
  const headers = { ...authorization(account), 'Content-Type': 'application/json', 'Idempotency-Key': 'deploy-key' }
  return via.send('/me/api-keys', { method: 'POST', body: '{"name":"CI"}', headers })
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

  it('a retry still gets its response, before and after the old key is removed', async () => {
    const first = await bodyOf(await createKey(client))
    expect(await run(VERSIONS)).toEqual([{ version: '1', count: 1 }])
    expect(await bodyOf(await createKey(clientWith(during)))).toEqual(first)
    await sweepWith(during)
    expect(await run(VERSIONS)).toEqual([{ version: '2', count: 1 }])
    expect(await bodyOf(await createKey(clientWith(after)))).toEqual(first)
  })

  it('a retry whose response was encrypted with a key that is gone is 422, and creates nothing', async () => {
    expect((await createKey(client)).status).toBe(201)
    const retry = await createKey(clientWith(after))
    expect(retry.status).toBe(422)
    expect((await bodyOf(retry)).detail).toContain('can no longer read its response')
    expect(await run('select count(*) as n from api_keys where user_id = ?', account.id)).toEqual([{ n: 1 }])
  })

  it('a list has at most so many bytes, but at least one value', async () => {
    for (const key of ['a', 'b', 'c']) await storeReply(key, 1000)
    const { db } = openSession(client.services, 'first-primary')
    const listed = async (size: number) => (await listSealedWith(db, ['1'], { count: 100, size })).length
    const [size] = await run<{ n: number }>('select octet_length(reply) as n from kept_replies limit 1')
    const bytes = size?.n ?? 0
    expect([await listed(1), await listed(2 * bytes - 1), await listed(2 * bytes), await listed(3 * bytes)]).toEqual([
      1, 1, 2, 3,
    ])
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

  it.each([
    { what: 'of 4 MiB', excess: 0, left: [] },
    { what: 'of one byte more', excess: 1, left: [{ version: '1', count: 1 }] },
  ])('a sweep encrypts values $what, except what exceeds 4 MiB', async ({ excess, left }) => {
    const sizes = [1_000_001, 1_000_001, 1_000_001, 1_194_301 + excess]
    expect(sizes.reduce((sum, size) => sum + size)).toBe(4 * 1024 * 1024 + excess)
    for (const [number, size] of sizes.entries()) await storeWebhook(number, await sealedOf(size))
    await sweepWith(during)
    expect((await run<{ version: string }>(VERSIONS)).filter(({ version }) => version === '1')).toEqual(left)
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
    const values = await listSealedWith(openSession(client.services, 'first-primary').db, ['1'], BOUNDS)
    const newest = await rotateSigningSecret()
    await replaceSealed(
      openSession(client.services, 'first-primary'),
      values.map((value) => ({ ...value, resealed: '2.replaced.by-the-sweep' })),
    )
    const response = await client.get('/me/signing-secret', { Authorization: `Bearer ${account.token}` })
    expect(await bodyOf(response)).toMatchObject({ secret: newest })
  })
})

describe('the columns with encrypted values', () => {
  it('are all known, whatever operation writes them', { timeout: 60_000 }, async () => {
    const version = 'everywhere'
    const scanning = clientWith(new Vault([{ ...OLD, version }]))
    for (const route of ROUTES.filter(({ method, opensSocket }) => method !== 'get' && !opensSocket)) {
      const own = await createAccount(scanning)
      const request = await makeGoodRequest(scanning, route, own)
      const response = await sendGood(scanning, request, { 'Idempotency-Key': crypto.randomUUID() })
      expect([route.operationId, response.status]).toEqual([route.operationId, request.status])
    }
    // What the shortest requests leave out.
    const own = await createAccount(scanning)
    const subscription = { url: 'https://receiver.example/auth', events: ['newPlanet'], auth: AUTH }
    expect((await scanning.sendJson('POST', '/webhooks', subscription, own)).status).toBe(201)
    for (const _ of ['first', 'previous']) await scanning.sendJson('POST', '/me/signing-secret/rotate', undefined, own)
    expect(await columnsWith(`${version}.%`)).toEqual(COLUMNS.toSorted(byName))
  })
})

type Column = (typeof COLUMNS)[number]

const byName = (a: Column, b: Column) => `${a.table}.${a.column}`.localeCompare(`${b.table}.${b.column}`)

/** The columns of all tables in which a value is like a pattern. */
async function columnsWith(pattern: string): Promise<Column[]> {
  const columns = await run<Column>(
    `select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c
     where m.type = 'table' and m.name not glob '_cf_*' and m.name not glob 'sqlite_*'`,
  )
  const found = await Promise.all(
    columns.map(async ({ table, column }) => {
      const rows = await run(`select 1 from "${table}" where "${column}" like ? limit 1`, pattern)
      return rows.length > 0 ? [{ table, column }] : []
    }),
  )
  return found.flat().toSorted(byName)
}

it('with one key, the sweep reads no secrets', async () => {
  await subscribe()
  await sweepWith(after)
  expect(await run(VERSIONS)).toEqual([{ version: '1', count: 2 }])
})
