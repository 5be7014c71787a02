import { expect, test } from 'galaxy/playwright'

test('the owner renames planet 1', async ({ request, universe }) => {
  const response = await request.put('planets/1', {
    headers: { Authorization: `Bearer ${universe.token}` },
    data: { name: 'Arrakis' },
  })
  expect(response.status()).toBe(200)
  expect(await response.json()).toMatchObject({ id: 1, name: 'Arrakis' })
})

test('planet 1 is Mercury again', async ({ request }) => {
  const response = await request.get('planets/1')
  expect(await response.json()).toMatchObject({ id: 1, name: 'Mercury' })
})
