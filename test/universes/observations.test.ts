import { runDurableObjectAlarm } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { finishDeferred } from '../support/deferred.ts'
import { batchOf, MIXED, writeMixed } from '../support/mixed.ts'
import {
  bearer,
  bodyOf,
  clock,
  MINUTE_MS,
  makeUniverse,
  type OwnWorld,
  queryInside,
  queue,
  universes,
  useWorlds,
} from '../support/worlds.ts'

useWorlds()

const REFUSE = async () => {
  throw new Error('the message is for a universe')
}

async function upload(world: OwnWorld, planetId: number): Promise<string> {
  const headers = { ...bearer(world.token), ...MIXED }
  const body = writeMixed(batchOf(2))
  const response = await world.send(`/planets/${planetId}/observations`, { method: 'POST', body, headers })
  expect(response.status).toBe(202)
  const { batchId } = await bodyOf(response)
  expect(response.headers.get('Location')).toBe(`${world.url}/planets/${planetId}/observations/${batchId}`)
  await finishDeferred()
  return batchId
}

async function makePlanet(world: OwnWorld): Promise<number> {
  return (await bodyOf(await world.own('POST', '/planets', { name: 'Observed' }))).id
}

async function statusOf(world: OwnWorld, planetId: number, batchId: string): Promise<string> {
  return (await bodyOf(await world.own('GET', `/planets/${planetId}/observations/${batchId}`))).status
}

async function handleQueued(): Promise<void> {
  for (const { message } of queue.held.splice(0)) await universes.handleMessage(message, REFUSE)
}

it('a message of a universe is about a batch of this universe', async () => {
  const [world, other] = [await makeUniverse(), await makeUniverse()]
  const planetId = await makePlanet(world)
  expect(await makePlanet(other)).toBe(planetId)
  const batchId = await upload(world, planetId)
  expect(queue.held.map(({ message }) => message)).toEqual([{ observations: batchId, universe: world.id }])
  expect((await other.own('GET', `/planets/${planetId}/observations/${batchId}`)).status).toBe(404)
  await handleQueued()
  expect(await statusOf(world, planetId, batchId)).toBe('completed')
})

it('a universe that nobody uses is woken until its batches are completed', async () => {
  const world = await makeUniverse()
  const planetId = await makePlanet(world)
  const batchId = await upload(world, planetId)
  queue.held.length = 0
  // The first alarm follows the requests, the second one only the work that is left.
  for (const _ of ['used', 'unused']) {
    clock.advance(MINUTE_MS)
    expect(await runDurableObjectAlarm(world.stub)).toBe(true)
    await finishDeferred()
    expect(queue.held.map(({ message }) => message)).toEqual([{ observations: batchId, universe: world.id }])
    queue.held.length = 0
  }
  clock.advance(MINUTE_MS)
  await runDurableObjectAlarm(world.stub)
  await finishDeferred()
  await handleQueued()
  const [row] = await queryInside(
    world,
    'select status from (select completed_at is not null as status from observation_batches)',
  )
  expect(row).toEqual({ status: 1 })
})

it('a reset leaves no batch, and its message does nothing', async () => {
  const world = await makeUniverse()
  const planetId = await makePlanet(world)
  const batchId = await upload(world, planetId)
  expect((await world.own('POST', '/universe/reset')).status).toBe(204)
  await handleQueued()
  expect(await makePlanet(world)).toBe(planetId)
  expect((await world.own('GET', `/planets/${planetId}/observations/${batchId}`)).status).toBe(404)
  expect(await queryInside(world, 'select id from observation_batches')).toEqual([])
})

it('the end of a universe ends its batches, and a message about one does nothing', async () => {
  const world = await makeUniverse()
  await upload(world, await makePlanet(world))
  expect((await world.own('DELETE', '/universe')).status).toBe(204)
  await handleQueued()
})
