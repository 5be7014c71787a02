import { expect, it } from 'vitest'
import {
  bodyOf,
  clock,
  configure,
  fromAnywhere,
  HOUR_MS,
  makeUniverse,
  type OwnWorld,
  queryInside,
  useWorlds,
} from '../support/worlds.ts'

useWorlds()

/** Makes an inbox, from an address of its own unless it is given. */
const make = (world: OwnWorld, from = fromAnywhere()) => world.send('/inboxes', { method: 'POST', headers: from })

it('more than ten inboxes can be made in a universe from one address, whatever the common world allows', async () => {
  configure({ inboxLimit: { perHour: 1, countsPer: 'address' } })
  const [world, address] = [await makeUniverse(), fromAnywhere()]
  for (let count = 1; count <= 12; count++) {
    const { status, headers } = await make(world, address)
    expect([status, headers.get('X-RateLimit-Limit')]).toEqual([201, '1000'])
    expect(headers.get('X-RateLimit-Remaining')).toBe(String(1000 - count))
  }
})

it('a thousand can be made in an hour, from all addresses together, in each universe by itself', async () => {
  const [world, other] = [await makeUniverse(), await makeUniverse()]
  expect((await make(world)).status).toBe(201)
  await queryInside(world, 'update rate_limits set attempts = 999')
  expect((await make(world)).status).toBe(201)
  const refused = await make(world)
  expect([refused.status, (await bodyOf(refused)).title]).toEqual([429, 'Too Many Requests'])
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(3500)
  expect((await make(other)).status).toBe(201)
  clock.advance(HOUR_MS + 1000)
  expect((await make(world)).status).toBe(201)
})
