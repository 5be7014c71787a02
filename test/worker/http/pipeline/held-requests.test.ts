import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { openD1 } from '../../../../src/db/port.ts'
import { type Account, bodyOf, type Client, createAccount, createClient } from '../../../support/app.ts'
import { basic } from '../../../support/credentials.ts'
import { holdKeeping } from '../../../support/lost-answers.ts'

// Requests with the same Idempotency-Key while the first of them is held.

const MINUTE_MS = 60_000

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

const newKey = () => crypto.randomUUID()
const isReplayed = ({ headers }: Response) => headers.get('Idempotency-Replayed') === 'true'
const countPlanets = () => env.DB.prepare('select count(*) as n from planets').first()

/** Creates a planet with a key. */
function createPlanet(key: string, body: unknown = { name: 'Once' }, via = client): Promise<Response> {
  const { headers } = basic(account.email, account.password)
  const own = { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': key }
  return via.send('/planets', { method: 'POST', body: JSON.stringify(body), headers: own })
}

/** The service at another time. */
function clientAt(ms: number): Client {
  return createClient({ now: () => new Date(Date.now() + ms) })
}

describe('requests at the same time', () => {
  it('a request that is in progress lets no other with its key begin', async () => {
    const key = newKey()
    const { database, held, release } = holdKeeping(openD1(env.DB))
    const first = createPlanet(key, { name: 'Once' }, createClient({ database }))
    await held
    const second = await createPlanet(key)
    expect(second.status).toBe(409)
    expect((await bodyOf(second)).type).toMatch(/\/request-in-progress$/)
    expect((await createPlanet(key, { name: 'Other' })).status).toBe(422)
    release()
    const created = await first
    expect([created.status, isReplayed(created)]).toEqual([201, false])
    const third = await createPlanet(key)
    expect(isReplayed(third)).toBe(true)
    expect(await third.text()).toBe(await created.text())
  })

  it('one that was taken for interrupted creates nothing if it goes on', async () => {
    const key = newKey()
    const { database, held, release } = holdKeeping(openD1(env.DB))
    const late = createPlanet(key, { name: 'Once' }, createClient({ database }))
    await held
    expect((await createPlanet(key, { name: 'Once' }, clientAt(MINUTE_MS - 5000))).status).toBe(409)
    const takeover = await createPlanet(key, { name: 'Once' }, clientAt(MINUTE_MS))
    expect([takeover.status, isReplayed(takeover)]).toEqual([201, false])
    const rows = await countPlanets()
    release()
    expect((await late).status).toBe(409)
    expect(await countPlanets()).toEqual(rows)
    expect(await (await createPlanet(key)).text()).toBe(await takeover.text())
  })
})
