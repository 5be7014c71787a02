import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { LostRace } from '../../../src/changes/requirements.ts'
import { deletePlanet, insertPlanet, unchanged, updatePlanet, updatePlanetOnly } from '../../../src/stores/planets.ts'
import { countBodyBytes, selectPlanet, type WritablePlanet } from '../../../src/stores/stored-planet.ts'
import { type Account, type Client, createAccount, createClient, primaryOf } from '../../support/app.ts'
import { commitIn } from '../../support/changes.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const LATER = new Date('2026-01-02T00:00:00Z')

let client: Client
let account: Account
let planet: WritablePlanet

beforeEach(async () => {
  client = createClient()
  account = await createAccount(client)
  const ids = await client.services.ids.take(primaryOf(client), { planets: 1, bodies: 1 })
  planet = {
    id: ids.next('planets'),
    creatorId: account.id,
    creator: { id: account.id, name: 'Ada', renamedAt: null },
    version: 1,
    lastUpdated: NOW,
    properties: { name: 'First' },
    extras: null,
    imageKey: null,
    listsSatellites: true,
    satellites: [{ id: ids.next('bodies'), properties: { name: 'Moon' }, hiddenBytes: 0 }],
  }
  await commitIn(client, { statements: insertPlanet(planet) })
})

const read = async () => (await primaryOf(client).db.read(selectPlanet(planet.id)))[0]
const changed = () => ({ ...planet, version: 2, lastUpdated: LATER, properties: { name: 'Zwölf 🪐' }, satellites: [] })
const update = (from: Pick<WritablePlanet, 'id' | 'version'> = planet) =>
  commitIn(client, { requires: [unchanged(from)], statements: updatePlanet(planet, changed()) })
const remove = () => [deletePlanet(planet.id)]
const countRows = async () => (await env.DB.prepare('select count(*) as n from log').first<{ n: number }>())?.n
const countBodies = async () =>
  (await env.DB.prepare('select count(*) as n from bodies where planet_id = ?').bind(planet.id).first<{ n: number }>())
    ?.n

it('a read finds what was written', async () => {
  expect(await read()).toEqual(planet)
  await update()
  expect(await read()).toEqual(changed())
})

it('the size in bytes is the one that the database counts', async () => {
  const extras = { diameter: 12_742 }
  const satellite = { id: planet.satellites[0]?.id ?? 0, properties: { name: 'Größer' }, hiddenBytes: 0 }
  const larger = { ...changed(), extras, satellites: [satellite] }
  await commitIn(client, { statements: updatePlanet(planet, larger) })
  // What a planet document cannot contain.
  await env.DB.prepare('update bodies set extras = \'{"tags":[]}\', satellite_bytes = 5 where id = ?')
    .bind(satellite.id)
    .run()
  const stored = await read()
  expect(stored?.satellites).toEqual([{ ...satellite, hiddenBytes: '{"tags":[]}'.length + 5 }])
  if (stored) await commitIn(client, { statements: [updatePlanetOnly(stored)] })
  const row = await env.DB.prepare('select bytes from planets where id = ?').bind(planet.id).first()
  expect(row).toEqual({ bytes: stored && countBodyBytes(stored) })
})

describe('a write that depends on a version', () => {
  it('succeeds if it is the current one', async () => {
    await update()
    await commitIn(client, { requires: [unchanged(changed())], statements: remove() })
    expect(await read()).toBeUndefined()
  })

  it('leaves another one unchanged, with its satellites', async () => {
    const rows = await countRows()
    await expect(update({ id: planet.id, version: 2 })).rejects.toThrow(LostRace)
    expect(await read()).toEqual(planet)
    expect(await countRows()).toBe(rows)
  })

  it('stores nothing if the planet was deleted', async () => {
    await commitIn(client, { statements: remove() })
    const rows = await countRows()
    await expect(update()).rejects.toThrow(LostRace)
    expect(await countBodies()).toBe(0)
    expect(await countRows()).toBe(rows)
  })
})

it('a new satellite with the id of another one fails, and changes neither', async () => {
  const [moon] = planet.satellites
  if (!moon) throw new Error('the planet has a satellite')
  const foreign = { ...planet, satellites: [] }
  const stolen = { ...planet, version: 2, satellites: [{ ...moon, properties: { name: 'Stolen' } }] }
  await expect(commitIn(client, { statements: updatePlanet(foreign, stolen) })).rejects.toThrow()
  expect(await read()).toEqual(planet)
})
