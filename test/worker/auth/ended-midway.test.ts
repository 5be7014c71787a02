import { env } from 'cloudflare:workers'
import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import { bodyOf } from '../../support/app.ts'
import {
  type Bench,
  type Carried,
  type CredentialKind,
  createBench,
  createHolder,
  type Holder,
  KINDS,
  sendWith,
  storeKey,
} from '../../support/credentials.ts'
import { oneOfEach, turnOf } from '../../support/one-of-each.ts'
import { letRivalWriteFirst } from '../../support/rival-writers.ts'
import { callOperation, makeTarget, SECURED, type SecuredOperation } from '../../support/secured-operations.ts'
import { emptyDatabase, readDatabase } from '../../support/stored.ts'

// A credential holds when a request begins, and ends before the request writes: while its body is still on the way, or
// between two round trips. One statement guards all writes: therefore every way to end, with every kind of credential,
// is tried with one operation of each kind. Every other operation that writes takes its turn, with two of the kinds.

const HOUR_MS = 3_600_000

/** What ends a credential, and the status of the response to the request. */
interface Ending {
  name: string
  status: 401 | 403
  end(holder: Holder, carried: Carried): Promise<unknown>
}

const run = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run()

const NEW_PASSWORD: Ending = {
  name: 'the account gets a new password',
  status: 401,
  end: ({ account }) =>
    run(
      'update users set password_generation = password_generation + 1, password_hash = null where id = ?',
      account.id,
    ),
}
const SUSPENSION: Ending = {
  name: 'the account is suspended',
  status: 403,
  end: ({ account, foreign }) => run('update users set suspended_at = 1 where id in (?, ?)', account.id, foreign.id),
}
const ACCOUNT_DELETED: Ending = {
  name: 'the account is deleted',
  status: 401,
  // With the current time, because a token that another provider issued after the deletion creates a new account.
  end: ({ account, foreign }) =>
    run('update users set deleted_at = ? where id in (?, ?)', Date.now(), account.id, foreign.id),
}
const KEY_DELETED: Ending = {
  name: 'the key is deleted',
  status: 401,
  end: ({ account }) => run('delete from api_keys where user_id = ? and name is null', account.id),
}
const GRANT_REVOKED: Ending = {
  name: 'the user revokes the grant of the client',
  status: 401,
  end: (_, carried) => run('update grants set ended_at = 1 where id = ?', grantIdOf(carried)),
}
const CLIENT_DELETED: Ending = {
  name: 'the client is deleted',
  status: 401,
  end: (_, carried) =>
    run('delete from clients where id = (select client_id from grants where id = ?)', grantIdOf(carried)),
}

function grantIdOf({ headers }: Carried): string {
  return String(decodeJwt(headers.Authorization?.replace('Bearer ', '') ?? '').grant_id)
}

const ENDINGS: Readonly<Record<string, readonly Ending[]>> = {
  bearerAuth: [NEW_PASSWORD, SUSPENSION, ACCOUNT_DELETED],
  basicAuth: [NEW_PASSWORD, SUSPENSION, ACCOUNT_DELETED],
  apiKeyHeader: [KEY_DELETED, NEW_PASSWORD, SUSPENSION, ACCOUNT_DELETED],
  'oAuth2, own': [GRANT_REVOKED, CLIENT_DELETED, NEW_PASSWORD, SUSPENSION, ACCOUNT_DELETED],
  'openIdConnect, foreign': [SUSPENSION, ACCOUNT_DELETED],
}

/** These write nothing, whatever their method. */
const READS = ['postUserInfo']
const WRITES = SECURED.filter(({ id, method }) => method !== 'GET' && !READS.includes(id))
const MODELS = oneOfEach(WRITES, ({ isOwned, isUpload, isAnonymous }) => [isOwned, isUpload, isAnonymous])
const CASES = WRITES.flatMap((operation) =>
  KINDS.flatMap((kind) => endingsFor(operation, kind).map((ending) => ({ operation, kind, ending }))),
).filter(({ operation, kind }) => !(operation.id === 'setPassword' && kind.name === 'openIdConnect, foreign'))

it('every operation that writes is tried', () => {
  expect(new Set(CASES.map(({ operation }) => operation))).toEqual(new Set(WRITES))
})

function endingsFor(operation: SecuredOperation, { name }: CredentialKind): readonly Ending[] {
  const endings = ENDINGS[name] ?? []
  if (MODELS.includes(operation)) return endings
  const turn = WRITES.indexOf(operation)
  return isTurnOf(name, turn) ? turnOf(endings, turn) : []
}

function isTurnOf(kind: string, turn: number): boolean {
  const kinds = Object.keys(ENDINGS)
  return [turn, turn + 2].some((one) => turnOf(kinds, one).includes(kind))
}

/** Recording the last use of a key does not count as a write of the request. */
const OWN_WRITE = /^\s*(insert|delete|update(?! "api_keys" set "last_used_at"))/i

let clockOffset = 0
const NOTHING_ELSE = async () => {}
let interruption: () => Promise<void> = NOTHING_ELSE
let bench: Bench
let holder: Holder

beforeEach(async () => {
  clockOffset = 0
  interruption = NOTHING_ELSE
  const { database } = letRivalWriteFirst(openD1(env.DB), OWN_WRITE, () => interruption())
  bench = await createBench({ database, now: () => new Date(Date.now() + clockOffset) })
  await emptyDatabase()
  holder = await createHolder(bench)
})

const scopesOf = ({ scope }: SecuredOperation) => (scope === undefined ? [] : [scope])

describe.each(CASES)('$operation.method $operation.path with $kind.name', ({ operation, kind, ending }) => {
  it(`writes nothing if ${ending.name} while the request is under way`, async () => {
    const target = await makeTarget(kind.ownerOf(holder))
    // Keys of the target have no name either: this one alone is the caller's.
    await run("update api_keys set name = 'of the target'")
    const carried = await kind.make(bench, holder, scopesOf(operation))
    // The password has been checked by now, so the first write is the operation's own.
    if (kind.name === 'basicAuth') await sendWith(bench, '/me', carried)
    let before: unknown
    interruption = async () => {
      interruption = NOTHING_ELSE
      await ending.end(holder, carried)
      before = await readDatabase()
    }
    const response = await callOperation(bench, operation, { target, carried, holder })
    expect(before).toBeDefined()
    expect(response.status).toBe(ending.status)
    expect(await readDatabase()).toEqual(before)
  })
})

/** A body that ends when the test wants it to. */
function heldBody(begin: string, end: string): { body: ReadableStream<Uint8Array>; finish(): void } {
  const encode = (text: string) => new TextEncoder().encode(text)
  let finish = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encode(begin))
      finish = () => {
        controller.enqueue(encode(end))
        controller.close()
      }
    },
  })
  return { body, finish: () => finish() }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

it('a key that is deleted while the body of its request arrives creates no other key', async () => {
  const { id, key } = await storeKey(bench.client, holder.account.id)
  const { body, finish } = heldBody('{', '}')
  const headers = { ...JSON_TYPE, 'X-API-Key': key }
  const held = bench.client.send('/me/api-keys', { method: 'POST', body, headers })
  await scheduler.wait(50)
  expect((await bench.client.sendJson('DELETE', `/me/api-keys/${id}`, '', holder.account)).status).toBe(204)
  finish()
  const response = await held
  expect(response.status).toBe(401)
  expect(response.headers.get('WWW-Authenticate')).toContain('Bearer realm="Galaxy"')
  expect((await bodyOf(response)).detail).toBe('The API key was revoked or has expired.')
  expect((await env.DB.prepare('select count(*) as n from api_keys').first())?.n).toBe(0)
})

const EXPIRING = KINDS.filter(({ name }) => ['bearerAuth', 'apiKeyHeader', 'oAuth2, own'].includes(name))

it.each([...EXPIRING, ...KINDS.filter(({ name }) => name === 'openIdConnect, foreign')])(
  'a credential that expires while the body arrives writes nothing: $name',
  async (kind) => {
    const carried = await kind.make(bench, holder, ['write:planets'])
    await run('update api_keys set expires_at = ?', Date.now() + HOUR_MS)
    const { body, finish } = heldBody('{"name"', ':"Late"}')
    const held = sendWith(bench, '/planets', carried, { method: 'POST', body, headers: JSON_TYPE })
    await scheduler.wait(50)
    clockOffset = 3 * HOUR_MS
    finish()
    expect((await held).status).toBe(401)
    expect((await env.DB.prepare('select count(*) as n from planets').first())?.n).toBe(0)
  },
)

it('the time of a write is its own, not that of the moment when its body began', async () => {
  const { key } = await storeKey(bench.client, holder.account.id)
  const { body, finish } = heldBody('{"expiresAt":"2030-01-01T00:00:00Z"', '}')
  const headers = { ...JSON_TYPE, 'X-API-Key': key }
  const held = bench.client.send('/me/api-keys', { method: 'POST', body, headers })
  await scheduler.wait(50)
  clockOffset = 5 * 365 * 24 * HOUR_MS
  finish()
  expect((await held).status).toBe(400)
})
