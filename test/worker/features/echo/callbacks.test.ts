import { expect, it } from 'vitest'
import { createAccount, createClient } from '../../../support/app.ts'
import { drain, FakeNetwork } from '../../../support/callbacks.ts'
import { sendToEcho } from '../../../support/echo.ts'

const CALLBACK = { successCallbackUrl: 'https://echo.internal/a/b' }

it('a callback can go to the host of the echo, even a private one, and is echoed there', async () => {
  const config = { echoHost: 'echo.internal', allowsPrivateTargets: false }
  const network = new FakeNetwork(({ url, ...init }) => sendToEcho(url, init, { config }))
  const client = createClient({ config, fetch: network.fetch })
  const response = await client.sendJson('POST', '/planets', { name: 'A', ...CALLBACK }, await createAccount(client))
  expect(response.status).toBe(201)
  await drain(client)
  expect(network.calls.map(({ url }) => url)).toEqual([CALLBACK.successCallbackUrl])
  const log = await client.services.database.prepare('select status, response from attempts').all()
  expect(log.results).toEqual([{ status: 200, response: expect.stringContaining('"path":"/a/b"') }])
})

it('a callback cannot go to another private host', async () => {
  const client = createClient({ config: { echoHost: 'other.internal', allowsPrivateTargets: false } })
  const response = await client.sendJson('POST', '/planets', { name: 'A', ...CALLBACK }, await createAccount(client))
  expect(response.status).toBe(400)
})
