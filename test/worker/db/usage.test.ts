import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { authorization, createAccount, createClient, createPlanet } from '../../support/app.ts'
import { makePicture } from '../../support/pictures.ts'
import { loadShippedPlanets } from '../../support/shipped.ts'
import { countUsage, usageOf } from '../../support/usage.ts'

const RECEIVER = 'https://receiver.example/planets'

it('what an account stores is counted as it is, with data of every kind', async () => {
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
  const sizes = await env.DB.prepare(
    `select id, satellite_bytes as stored,
      (select coalesce(sum(bytes), 0) from bodies where planet_id = planets.id) as measured from planets
    union all
    select id, satellite_bytes, (select coalesce(sum(bytes), 0) from bodies where host_id = host.id) from bodies as host`,
  ).all<{ id: number; stored: number; measured: number }>()
  expect(sizes.results.filter(({ measured }) => measured > 0).length).toBeGreaterThan(6)
  expect(sizes.results.filter(({ stored, measured }) => stored !== measured)).toEqual([])
  for (const { id } of [{ id: 1 }, ...accounts]) expect(await usageOf(id)).toEqual(await countUsage(id))
})
