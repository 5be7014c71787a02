import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { paths } from '#client/openapi-typescript/schema.ts'
import { GALAXY_URL, newAccount, PICTURE } from './setting.ts'

const { name, email, password } = newAccount()
const client = createClient<paths>({ baseUrl: GALAXY_URL })

const stranger = await client.GET('/me')
assert.equal(stranger.response.status, 401)
assert.equal(stranger.error?.status, 401)

const signUp = await client.POST('/user/signup', { body: { name, email, password } })
assert.equal(signUp.data?.name, name)

const signIn = await client.POST('/auth/token', { body: { email, password } })
assert.ok(signIn.data?.token)
const authorization = `Bearer ${signIn.data.token}`
client.use({
  onRequest: ({ request }) => request.headers.set('Authorization', authorization),
})

const me = await client.GET('/me')
assert.deepEqual(me.data, signUp.data)

// The public document's `temperature` and `percentage` refuse every value here; ours has a journey for them.
const created = await client.POST('/planets', {
  body: {
    name: 'Arrakis',
    description: null,
    type: 'terrestrial',
    habitabilityIndex: 0.4,
    physicalProperties: { mass: 0.9, radius: 0.97, gravity: 0.9, surfacePressure: 1.1 },
    atmosphere: [{ compound: 'N2', note: 'breathable' }],
    discoveredAt: '1965-08-01T00:00:00Z',
    satellites: [
      { name: 'Krelln', description: 'The first moon', diameter: 488, type: 'moon', orbit: { orbitalPeriod: 25.5 } },
    ],
    tags: ['desert', 'spice'],
    successCallbackUrl: 'https://receiver.example/success',
    failureCallbackUrl: 'https://receiver.example/failure',
  },
})
assert.equal(created.response.status, 201)
assert.ok(created.data)
const path = { planetId: created.data.id }

const read = await client.GET('/planets/{planetId}', { params: { path } })
assert.deepEqual(read.data, created.data)
assert.equal(read.data?.physicalProperties?.surfacePressure, 1.1)
assert.equal(read.data?.satellites?.[0]?.orbit?.planet?.name, 'Arrakis')

const list = await client.GET('/planets', { params: { query: { limit: 2, offset: 1 } } })
assert.equal(list.data?.data?.length, 2)
assert.equal(list.data?.meta?.offset, 1)

const updated = await client.PUT('/planets/{planetId}', {
  params: { path },
  body: { name: 'Arrakis', type: 'terrestrial', description: 'Dune', image: null },
})
assert.equal(updated.data?.description, 'Dune')
assert.equal(updated.data?.tags, undefined)

const form = new FormData()
form.set('image', PICTURE)
const uploaded = await client.POST('/planets/{planetId}/image', {
  params: { path },
  // A file is a string in the generated types, so the form goes past them.
  body: { image: 'in the form' },
  bodySerializer: () => form,
})
assert.equal(uploaded.data?.mimeType, 'image/png')

const deleted = await client.DELETE('/planets/{planetId}', { params: { path } })
assert.equal(deleted.response.status, 204)
assert.equal(deleted.error, undefined)

const gone = await client.GET('/planets/{planetId}', { params: { path } })
assert.equal(gone.response.status, 404)
assert.equal(gone.error?.status, 404)
assert.ok(gone.error?.detail)
