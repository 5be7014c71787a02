import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Database, openSession } from '../../../src/db/client.ts'
import { deletePlanet, insertPlanet, setPlanetImage, updatePlanet } from '../../../src/stores/planets.ts'
import { type StoredPlanet, selectPlanet } from '../../../src/stores/stored-planet.ts'
import { insertUser } from '../../../src/stores/users.ts'
import { NO_LIMITS } from '../../support/app.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const LATER = new Date('2026-01-02T00:00:00Z')

let db: Database
let planet: StoredPlanet

beforeEach(async () => {
  db = openSession(env.DB, 'first-primary').db
  const email = `${crypto.randomUUID()}@galaxy.test`
  const user = await insertUser(db, { email, name: 'Ada', passwordHash: '' }, NOW)
  if (!user) throw new Error('the e-mail of a test is taken')
  const draft = {
    properties: { name: 'First' },
    satellites: [{ id: null, properties: { name: 'Moon' } }],
    extras: null,
  }
  const silent = { body: [], receiver: undefined }
  ;({ planet } = await insertPlanet(
    db,
    { id: user.id, name: user.name, renamedAt: null },
    draft,
    silent,
    NO_LIMITS,
    NOW,
  ))
})

const read = async () => (await selectPlanet(db, planet.id))[0]
const UPLOAD = { key: 'key', fileSize: 1 }
const target = (expected?: number) => ({ id: planet.id, creatorId: planet.creator.id, expected })
const replacement = (expected?: number) => ({
  properties: { name: 'Second' },
  satellites: [{ id: null, properties: { name: 'New' } }],
  image: 'keep' as const,
  expected,
})

it('a write returns what a read finds', async () => {
  expect(planet).toMatchObject({ version: 1, lastUpdated: NOW, listsSatellites: true, imageKey: null })
  expect(await read()).toEqual(planet)
  const outcome = await updatePlanet(db, planet, replacement(), NO_LIMITS, LATER)
  expect(outcome).toEqual({ planet: await read(), shownKey: null })
  expect(await read()).toMatchObject({ version: 2, lastUpdated: LATER })
})

describe('a write for a version', () => {
  it('succeeds for the current one', async () => {
    expect(await updatePlanet(db, planet, replacement(1), NO_LIMITS, LATER)).toMatchObject({ planet: { version: 2 } })
    expect(await setPlanetImage(db, target(2), UPLOAD, NO_LIMITS, LATER)).toEqual({ shownKey: null })
    expect(await deletePlanet(db, planet.id, 3)).toEqual({ shownKey: 'key' })
  })

  it('leaves another one unchanged, with its satellites', async () => {
    expect(await updatePlanet(db, planet, replacement(2), NO_LIMITS, LATER)).toBe('changed')
    expect(await setPlanetImage(db, target(2), UPLOAD, NO_LIMITS, LATER)).toBe('changed')
    expect(await deletePlanet(db, planet.id, 2)).toBe('changed')
    expect(await read()).toEqual(planet)
  })
})

it('a write to a deleted planet stores nothing', async () => {
  await deletePlanet(db, planet.id, undefined)
  expect(await updatePlanet(db, planet, replacement(), NO_LIMITS, LATER)).toBe('gone')
  expect(await updatePlanet(db, planet, { ...replacement(), satellites: [] }, NO_LIMITS, LATER)).toBe('gone')
  expect(await setPlanetImage(db, target(), UPLOAD, NO_LIMITS, LATER)).toBe('gone')
  expect(await deletePlanet(db, planet.id, undefined)).toBe('gone')
  const row = await env.DB.prepare('select count(*) as n from bodies where planet_id = ?').bind(planet.id).first()
  expect(row).toEqual({ n: 0 })
})

it('an unrelated error is not mistaken for a conflict', async () => {
  const unusable = replacement(Number.NaN)
  await expect(updatePlanet(db, planet, unusable, NO_LIMITS, LATER)).rejects.toThrow()
})
