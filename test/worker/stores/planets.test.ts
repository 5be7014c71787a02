import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Database, openSession } from '../../../src/db/client.ts'
import {
  deletePlanet,
  insertPlanet,
  type Replacement,
  setPlanetImage,
  updatePlanet,
} from '../../../src/stores/planets.ts'
import { type StoredPlanet, selectPlanet } from '../../../src/stores/stored-planet.ts'
import { insertUser } from '../../../src/stores/users.ts'
import { NO_LIMITS } from '../../support/app.ts'
import { TOLD, TOLD_CHANGE, TOLD_SIGN_UP } from '../../support/happenings.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const LATER = new Date('2026-01-02T00:00:00Z')

let db: Database
let planet: StoredPlanet

beforeEach(async () => {
  db = openSession(env.DB, 'first-primary').db
  const email = `${crypto.randomUUID()}@galaxy.test`
  const user = await insertUser(db, { email, name: 'Ada', passwordHash: '' }, TOLD_SIGN_UP, NOW)
  if (!user) throw new Error('the e-mail of a test is taken')
  const draft = {
    properties: { name: 'First' },
    satellites: [{ id: null, properties: { name: 'Moon' } }],
    extras: null,
  }
  const silent = { happening: TOLD.created, receiver: undefined }
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
const REPLACEMENT = {
  properties: { name: 'Second' },
  satellites: [{ id: null, properties: { name: 'New' } }],
  image: 'keep',
} as const

const update = (expected?: number, draft: Omit<Replacement, 'expected'> = REPLACEMENT) =>
  updatePlanet(db, planet, { ...draft, expected }, TOLD.updated, TOLD_CHANGE, NO_LIMITS, LATER)
const IMAGE = { url: '', fileSize: 1, mimeType: 'image/png', uploadedAt: LATER.toISOString() }
const show = (expected?: number) =>
  setPlanetImage(db, target(expected), UPLOAD, { ...TOLD_CHANGE, image: IMAGE }, NO_LIMITS, LATER)
const remove = (expected?: number) => deletePlanet(db, planet.id, expected, { ...TOLD_CHANGE, now: LATER })
const countRows = async () => (await env.DB.prepare('select count(*) as n from log').first<{ n: number }>())?.n

it('a write returns what a read finds', async () => {
  expect(planet).toMatchObject({ version: 1, lastUpdated: NOW, listsSatellites: true, imageKey: null })
  expect(await read()).toEqual(planet)
  const outcome = await update()
  expect(outcome).toEqual({ planet: await read(), shownKey: null })
  expect(await read()).toMatchObject({ version: 2, lastUpdated: LATER })
})

describe('a write for a version', () => {
  it('succeeds for the current one', async () => {
    expect(await update(1)).toMatchObject({ planet: { version: 2 } })
    expect(await show(2)).toEqual({ shownKey: null })
    expect(await remove(3)).toEqual({ shownKey: 'key' })
  })

  it('leaves another one unchanged, with its satellites', async () => {
    const rows = await countRows()
    expect([await update(2), await show(2), await remove(2)]).toEqual(['changed', 'changed', 'changed'])
    expect(await read()).toEqual(planet)
    expect(await countRows()).toBe(rows)
  })
})

it('a write to a deleted planet stores nothing', async () => {
  await remove()
  const rows = await countRows()
  expect([await update(), await update(undefined, { ...REPLACEMENT, satellites: [] }), await show()]).toEqual(
    Array(3).fill('gone'),
  )
  expect(await remove()).toBe('gone')
  const row = await env.DB.prepare('select count(*) as n from bodies where planet_id = ?').bind(planet.id).first()
  expect(row).toEqual({ n: 0 })
  expect(await countRows()).toBe(rows)
})

it('an unrelated error is not mistaken for a conflict', async () => {
  await expect(update(Number.NaN)).rejects.toThrow()
})
