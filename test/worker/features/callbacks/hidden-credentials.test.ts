import { expect, it } from 'vitest'
import { authorization, bodyOf, createAccount, createClient } from '../../../support/app.ts'
import { drain, FakeNetwork } from '../../../support/callbacks.ts'

/** The Base64 text of `ada:Y` contains the password. */
const SHORT_PASSWORD = 'Y'
const KEY = 'k3y with / and ?'
/** How many bytes of a response the log keeps. */
const LOGGED_BYTES = 4 * 1024
/** No signature has this character, so a text of it never ends like the beginning of one. */
const FILLER = '-'

it.each([
  { scheme: 'basicAuth', username: 'ada', password: 'tr0ub4dor' },
  { scheme: 'bearerAuth', token: 'tr0ub4dor.token' },
  { scheme: 'apiKeyHeader', key: 'tr0ub4dor-key' },
  { scheme: 'apiKeyCookie', key: 'tr0ub4dor-key' },
  { scheme: 'apiKeyQuery', key: KEY },
])('credentials that a receiver sends back are not in the log: $scheme', async (auth) => {
  const response = await logResponse(auth)
  for (const secret of ['tr0ub4dor', btoa('ada:tr0ub4dor'), KEY, encodeURIComponent(KEY)]) {
    expect(response).not.toContain(secret)
  }
})

it('a password that its own Base64 text contains is hidden in both', async () => {
  const response = await logResponse({ scheme: 'basicAuth', username: 'ada', password: SHORT_PASSWORD })
  expect(response).toContain('"Basic …"')
})

it.each([
  ['tr0ub4dor', 1],
  ['tr0ub4dor', 8],
  ['tr0ub4dor', 9],
  ['tröub4dör', 2],
  ['tröub4dör', 3],
])(
  'the first bytes of the password %s are hidden if the log cuts the response after %d of them',
  async (password, count) => {
    const before = FILLER.repeat(LOGGED_BYTES - count)
    const auth = { scheme: 'basicAuth', username: 'ada', password }
    const [attempt] = await listAttempts(auth, () => new Response(`${before}${password} and more`))
    expect(attempt.response).toBe(`${before}…`)
  },
)

it('the first bytes of a Base64 text that contains its password are hidden if the log cuts the response there', async () => {
  const encoded = btoa(`ada:${SHORT_PASSWORD}`)
  const before = FILLER.repeat(LOGGED_BYTES - encoded.length + 2)
  const auth = { scheme: 'basicAuth', username: 'ada', password: SHORT_PASSWORD }
  const [attempt] = await listAttempts(auth, () => new Response(before + encoded))
  expect(attempt.response).toBe(`${before}…`)
})

it('a cut response that ends with no part of a credential is logged as it is', async () => {
  const text = FILLER.repeat(LOGGED_BYTES)
  const [attempt] = await listAttempts({ scheme: 'bearerAuth', token: 'tr0ub4dor' }, () => new Response(`${text}tr`))
  expect(attempt.response).toBe(text)
})

/** The response in the log of a receiver that sends back the whole request. */
async function logResponse(auth: object): Promise<string> {
  const [attempt] = await listAttempts(
    auth,
    ({ url, headers }) => new Response(`${url} ${JSON.stringify([...headers])} end`),
  )
  expect(attempt.response).toMatch(/^https:.* end$/)
  return attempt.response
}

/** The attempts to call a receiver that requires credentials. */
async function listAttempts(auth: object, respond: FakeNetwork['answer']) {
  const network = new FakeNetwork(respond)
  const client = createClient({ fetch: network.fetch })
  const account = await createAccount(client)
  const subscription = { url: 'https://receiver.example/hook', events: ['newPlanet'], auth }
  const { id } = await bodyOf(await client.sendJson('POST', '/webhooks', subscription, account))
  const ping = await client.send(`/webhooks/${id}/ping`, { method: 'POST', headers: authorization(account) })
  await drain(client)
  const { attempts } = await bodyOf(await client.get(ping.headers.get('Location') ?? '', authorization(account)))
  return attempts
}
