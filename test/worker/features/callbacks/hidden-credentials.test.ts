import { expect, it } from 'vitest'
import { authorization, bodyOf, createAccount, createClient } from '../../../support/app.ts'
import { drain, FakeNetwork } from '../../../support/callbacks.ts'

/** The Base64 text of `ada:Y` contains the password. */
const SHORT_PASSWORD = 'Y'
const KEY = 'k3y with / and ?'

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

/** The response in the log of a receiver that sends back the whole request. */
async function logResponse(auth: object): Promise<string> {
  const network = new FakeNetwork(({ url, headers }) => new Response(`${url} ${JSON.stringify([...headers])} end`))
  const client = createClient({ fetch: network.fetch })
  const account = await createAccount(client)
  const subscription = { url: 'https://receiver.example/hook', events: ['newPlanet'], auth }
  const { id } = await bodyOf(await client.sendJson('POST', '/webhooks', subscription, account))
  const ping = await client.send(`/webhooks/${id}/ping`, { method: 'POST', headers: authorization(account) })
  await drain(client)
  const { attempts } = await bodyOf(await client.get(ping.headers.get('Location') ?? '', authorization(account)))
  expect(attempts[0].response).toMatch(/^https:.* end$/)
  return attempts[0].response
}
