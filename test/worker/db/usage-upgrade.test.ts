import { env } from 'cloudflare:workers'
import { expect, inject, it } from 'vitest'
import { authorization, createAccount, createClient, createPlanet } from '../../support/app.ts'
import { makePicture } from '../../support/pictures.ts'
import { loadShippedPlanets } from '../../support/shipped.ts'
import { countUsage, measuredBytes, usageOf } from '../../support/usage.ts'

const RECEIVER = 'https://receiver.example/planets'

it('a database with data of every kind is measured and counted by the migration', async () => {
  await loadShippedPlanets()
  const client = createClient()
  const accounts = [await createAccount(client), await createAccount(client)]
  for (const account of accounts) {
    const post = (path: string, body: object) => client.sendJson('POST', path, body, account)
    const satellites = [{ name: 'One' }, { name: 'Zwölf 🪐' }]
    const { id } = await createPlanet(client, account, { name: 'First', satellites, successCallbackUrl: RECEIVER })
    await client.upload(`/planets/${id}/image`, makePicture(), account)
    await post('/celestial-bodies', { name: 'Moon', type: 'moon', tags: ['t'], orbit: { planet: { id } }, satellites })
    await post('/celestial-bodies', { name: 'Star', type: 'star', satellites })
    await post('/celestial-bodies', { name: 'Dwarf', type: 'dwarf', diameter: 7 })
    const gone = await createPlanet(client, account, { name: 'Gone', successCallbackUrl: RECEIVER })
    await client.send(`/planets/${gone.id}`, { method: 'DELETE', headers: authorization(account) })
  }
  const ids = [1, ...accounts.map(({ id }) => id)]
  const read = async () => ({ usage: await Promise.all(ids.map(usageOf)), bytes: await measuredBytes() })
  const before = await read()
  expect(before.usage).toEqual(await Promise.all(ids.map(countUsage)))

  const migration = inject('database').migrations.find(({ name }) => name.endsWith('_account-usage.sql'))
  const backfill = (migration?.queries ?? []).filter((query) => /^(--.*\n)*\s*UPDATE/.test(query.trim()))
  expect(backfill).toHaveLength(5)
  await env.DB.batch(
    [
      'drop trigger planets_resized',
      'update planets set satellite_bytes = 0',
      'update bodies set satellite_bytes = 0',
      'update users set bodies_used = 0, body_bytes_used = 0, images_used = 0, image_bytes_used = 0, deliveries_used = 0',
      ...backfill,
    ].map((query) => env.DB.prepare(query)),
  )
  expect(await read()).toEqual(before)
})
