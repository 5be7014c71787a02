import { test } from 'galaxy/vitest'
import { expect } from 'vitest'

test('a new planet is announced with a signed callback', async ({ universe }) => {
  const inbox = await (await fetch(`${universe.url}/inboxes`, { method: 'POST' })).json()
  const created = await fetch(`${universe.url}/planets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${universe.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Arrakis', successCallbackUrl: inbox.url }),
  })
  expect(created.status).toBe(201)

  const readInbox = async () => (await (await fetch(`${universe.url}/inboxes/${inbox.id}`)).json()).data
  await expect.poll(readInbox, { timeout: 4000 }).toHaveLength(1)
  const [callback] = await readInbox()
  expect(JSON.parse(callback.body)).toMatchObject({ name: 'Arrakis' })
  expect(callback.signatures).toMatchObject({ xSignature: 'valid' })
})

test('the service returns any documented error on demand', async ({ universe }) => {
  const response = await fetch(`${universe.url}/planets`, { headers: { Prefer: 'code=503' } })
  expect(response.status).toBe(503)
})
