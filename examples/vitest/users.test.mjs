import { test } from 'galaxy/vitest'
import { expect } from 'vitest'

const NEW_USER = { name: 'Paul', email: 'paul@example.com', password: 'i-love-planets' }

/** Sends JSON. */
const send = (method, url, body, token) =>
  fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })

test('the first user beside the owner is user 2', async ({ universe }) => {
  const response = await send('POST', `${universe.url}/user/signup`, NEW_USER)
  expect(response.status).toBe(201)
  expect(await response.json()).toMatchObject({ id: 2, name: 'Paul' })
})

test('another user cannot change the planets of the owner', async ({ universe }) => {
  // The user of the test above is gone, so the address is free again.
  await send('POST', `${universe.url}/user/signup`, NEW_USER)
  const { token } = await (await send('POST', `${universe.url}/auth/token`, NEW_USER)).json()
  const response = await send('PUT', `${universe.url}/planets/1`, { name: 'Arrakis' }, token)
  expect(response.status).toBe(403)
})
