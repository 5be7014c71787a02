import { beforeAll, expect, it } from 'vitest'
import { type Account, type Client, createAccount, createClient } from '../../support/app.ts'
import { parseNamedItems } from '../../support/structured-fields.ts'
import { UNIVERSE_WORLD } from '../../support/world.ts'

// Each response that tells of a limit does so twice: in the headers that many services send, and as structured fields
// (draft-ietf-httpapi-ratelimit-headers-11).

const HOUR_SECONDS = 60 * 60
const REFUSING = { limit: async () => ({ success: false }) }

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

/** Requests from an address of their own. */
const fromAnywhere = () => ({
  'CF-Connecting-IP': (crypto.randomUUID().replaceAll('-', '').match(/.{4}/g) ?? []).join(':'),
  'Content-Type': 'application/json',
})

const post = (path: string, body: object, via = client, headers: HeadersInit = fromAnywhere()) =>
  via.send(path, { method: 'POST', body: JSON.stringify(body), headers })

const CASES: readonly { name: string; status: number; seconds: number; send(): Promise<Response> }[] = [
  {
    ...{ name: 'sign-up', status: 201, seconds: HOUR_SECONDS },
    send: () => post('/user/signup', { email: `${crypto.randomUUID()}@galaxy.test`, password: 'correct horse' }),
  },
  {
    ...{ name: 'sign-up', status: 429, seconds: HOUR_SECONDS },
    send: () =>
      post(
        '/user/signup',
        { email: `${crypto.randomUUID()}@galaxy.test`, password: 'correct horse' },
        createClient({ config: { signupsPerHour: 0 } }),
      ),
  },
  {
    ...{ name: 'passwords', status: 201, seconds: 60 },
    send: () => post('/auth/token', { email: account.email, password: account.password }),
  },
  {
    ...{ name: 'passwords', status: 401, seconds: 60 },
    send: () => post('/auth/token', { email: account.email, password: 'wrong horse' }),
  },
  {
    ...{ name: 'clients', status: 201, seconds: HOUR_SECONDS },
    send: () => post('/oauth/register', { redirect_uris: ['https://client.example/'] }),
  },
  { ...{ name: 'inboxes', status: 201, seconds: HOUR_SECONDS }, send: () => post('/inboxes', {}) },
  {
    ...{ name: 'writes', status: 429, seconds: 60 },
    send: () =>
      post('/planets', { name: 'Refused' }, createClient({ config: { limitsWrites: true }, writeLimiter: REFUSING }), {
        Authorization: `Bearer ${account.token}`,
        'Content-Type': 'application/json',
      }),
  },
  ...(UNIVERSE_WORLD
    ? []
    : [{ ...{ name: 'universes', status: 201, seconds: HOUR_SECONDS }, send: () => post('/universes', {}) }]),
]

it.each(CASES)('$name, with the status $status', async ({ name, status, seconds, send }) => {
  const { headers, status: sent } = await send()
  expect(sent).toBe(status)
  const count = (header: string) => Number(headers.get(`X-RateLimit-${header}`))
  expect(parseNamedItems(headers.get('RateLimit-Policy') ?? '')).toEqual([
    { name, parameters: { q: count('Limit'), w: seconds } },
  ])
  expect(parseNamedItems(headers.get('RateLimit') ?? '')).toEqual([
    { name, parameters: { r: count('Remaining'), t: count('Reset') } },
  ])
  expect(count('Reset')).toBeGreaterThan(0)
  expect(count('Reset')).toBeLessThanOrEqual(seconds)
})
