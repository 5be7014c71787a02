import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  AuthenticationApi,
  BadRequestErrorFromJSON,
  CallbacksApi,
  Configuration,
  NotFoundErrorFromJSON,
  type Planet,
  type PlanetInput,
  PlanetsApi,
  PreconditionFailedErrorFromJSON,
  ResponseError,
} from '../build/typescript-fetch/dist/index.js'

const { GALAXY_URL: basePath = '', PICTURE = '' } = process.env

/** The problem with which the service refuses a request, read as its type. */
async function refusalOf<Problem>(request: Promise<unknown>, read: (json: unknown) => Problem): Promise<Problem> {
  const error: unknown = await request.then(
    () => undefined,
    (reason) => reason,
  )
  assert.ok(error instanceof ResponseError, `no response refused it: ${error}`)
  return read(await error.response.json())
}

const anonymous = new AuthenticationApi(new Configuration({ basePath }))

const email = `${randomUUID()}@example.com`
const password = 'i-love-planets'
const user = await anonymous.createUser({ signUp: { email, password, name: 'Traveller' } })
assert.equal(typeof user.id, 'number')
assert.equal(user.name, 'Traveller')
console.log('sign up')

const { token } = await anonymous.getToken({ credentials: { email, password } })
const configuration = new Configuration({ basePath, accessToken: token })
const planets = new PlanetsApi(configuration)
const callbacks = new CallbacksApi(configuration)
assert.equal((await new AuthenticationApi(configuration).getMe()).id, user.id)
console.log('token')

const arrakis: PlanetInput = {
  name: 'Arrakis',
  description: 'The desert planet',
  type: 'terrestrial',
  habitabilityIndex: 0.68,
  physicalProperties: {
    mass: 0.107123456789,
    radius: 0.532987654321,
    gravity: 0.378000000001,
    temperature: { min: 130.5, max: 308.25, average: 210.123456789 },
  },
  atmosphere: [
    { compound: 'CO2', percentage: 95.3 },
    { compound: 'N2', percentage: 2.7 },
  ],
  discoveredAt: new Date('1965-08-01T00:00:00Z'),
  tags: ['desert', 'spice'],
  satellites: [{ name: 'Muad’Dib', diameter: 22.2, orbit: { orbitalPeriod: 0.319123456789, distance: 9376.5 } }],
}
const created = await planets.createPlanetRaw({ planetInput: arrakis })
assert.equal(created.raw.status, 201)
const planet = await created.value()
assert.ok(Number.isSafeInteger(planet.id))
assert.equal(created.raw.headers.get('Location'), `${basePath}/planets/${planet.id}`)
assert.deepEqual(planet.physicalProperties, arrakis.physicalProperties)
assert.deepEqual(planet.atmosphere, arrakis.atmosphere)
assert.deepEqual(planet.discoveredAt, arrakis.discoveredAt)
assert.deepEqual(planet.tags, arrakis.tags)
assert.equal(planet.name, arrakis.name)
assert.equal(planet.type, 'terrestrial')
assert.equal(planet.satellites?.[0]?.orbit?.orbitalPeriod, 0.319123456789)
assert.equal(planet.creator?.id, user.id)
assert.ok(planet.lastUpdated instanceof Date)
console.log('create a planet')

const seen = new Map<number, Planet>()
let pages = 0
for (let offset: number | undefined = 0; offset !== undefined && pages < 4; pages++) {
  const { data, meta } = await planets.getAllData({ limit: 5, offset })
  assert.equal(data.length, 5)
  assert.deepEqual([meta.limit, meta.offset], [5, offset])
  for (const each of data) {
    assert.equal(typeof each.name, 'string')
    assert.ok(!seen.has(each.id), `planet ${each.id} is on two pages`)
    seen.set(each.id, each)
  }
  const next: string | null = meta.next && new URL(meta.next, basePath).searchParams.get('offset')
  offset = next === null ? undefined : Number(next)
}
assert.equal(pages, 4)
assert.equal(seen.size, 20)
console.log('page through planets')

const read = await planets.getPlanetRaw({ planetId: planet.id })
const etag = read.raw.headers.get('ETag') ?? ''
assert.match(etag, /^"/)
const changed: PlanetInput = { ...arrakis, name: 'Dune' }
const replaced = await planets.updatePlanet({ planetId: planet.id, planetInput: changed, ifMatch: etag })
assert.equal(replaced.name, 'Dune')
const outdated = await refusalOf(
  planets.updatePlanet({ planetId: planet.id, planetInput: arrakis, ifMatch: etag }),
  PreconditionFailedErrorFromJSON,
)
assert.equal(outdated.status, 412)
assert.match(outdated.type, /precondition-failed$/)
console.log('replace with If-Match')

const image = new File([await openAsBlob(PICTURE)], basename(PICTURE), { type: 'image/png' })
const uploaded = await planets.uploadImage({ planetId: planet.id, image })
assert.equal(uploaded.mimeType, 'image/png')
assert.equal(uploaded.fileSize, image.size)
console.log('upload a picture')

const inbox = await callbacks.createInbox()
const secret = randomUUID()
const webhook = await callbacks.createWebhook({
  webhookInput: { url: inbox.url, events: ['newPlanet'], auth: { scheme: 'bearerAuth', token: secret } },
})
assert.equal(webhook.auth?.scheme, 'bearerAuth')
assert.ok(!JSON.stringify(webhook).includes(secret))
await callbacks.pingWebhook({ webhookId: webhook.id })
let call: { headers: { name: string; value: string }[] } | undefined
for (let attempt = 0; call === undefined && attempt < 300; attempt++) {
  await wait(100)
  ;[call] = (await callbacks.getInbox({ inboxId: inbox.id })).data
}
assert.equal(call?.headers.find(({ name }) => name.toLowerCase() === 'authorization')?.value, `Bearer ${secret}`)
console.log('webhook with a credential')

const refused = await refusalOf(planets.createPlanet({ planetInput: { name: '' } }), BadRequestErrorFromJSON)
assert.equal(refused.status, 400)
assert.match(refused.type, /invalid-body$/)
assert.equal(refused.errors?.[0]?.pointer, '/name')
assert.ok(refused.errors[0].detail)
console.log('problem with errors')

await callbacks.deleteWebhook({ webhookId: webhook.id })
await planets.deletePlanet({ planetId: planet.id })
const gone = await refusalOf(planets.getPlanet({ planetId: planet.id }), NotFoundErrorFromJSON)
assert.equal(gone.status, 404)
assert.match(gone.type, /not-found$/)
console.log('delete')
