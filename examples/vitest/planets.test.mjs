import { test } from 'galaxy/vitest'
import { expect } from 'vitest'

test('the owner renames planet 1', async ({ universe }) => {
  const response = await fetch(`${universe.url}/planets/1`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${universe.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Arrakis' }),
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ id: 1, name: 'Arrakis' })
})

test('planet 1 is Mercury again', async ({ universe }) => {
  const response = await fetch(`${universe.url}/planets/1`)
  expect(await response.json()).toMatchObject({ id: 1, name: 'Mercury' })
})
