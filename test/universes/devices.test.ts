import { expect, it } from 'vitest'
import {
  allowDevice,
  authorizeDevice,
  type DeviceCodes,
  getDeviceCodes,
  openDevice,
  pollTokens,
  type Registered,
  registerDevice,
  type Send,
  UserAgent,
} from '../support/oauth.ts'
import { UNIVERSE_HOST } from '../support/world.ts'
import {
  bodyOf,
  COMMON,
  COMMON_ORIGIN,
  configure,
  fromAnywhere,
  hostUrlOf,
  makeUniverse,
  useWorlds,
  type World,
  worldAt,
} from '../support/worlds.ts'

// The device flow in several worlds: nothing of one is good for anything in another.

useWorlds()

const ACCOUNT = { email: 'ada@example.com', password: 'i-love-planets' }

/** Requests from one address. */
function from(world: World, address = fromAnywhere()): Send {
  return (path, init = {}) => world.send(path, { ...init, headers: { ...Object(init.headers), ...address } })
}

/** A user, a client and its codes. */
async function furnish(world: World): Promise<{ send: Send; app: Registered; codes: DeviceCodes }> {
  const send = from(world)
  const headers = { 'Content-Type': 'application/json' }
  expect((await send('/user/signup', { method: 'POST', headers, body: JSON.stringify(ACCOUNT) })).status).toBe(201)
  const app = await registerDevice(send)
  return { send, app, codes: await getDeviceCodes(send, app) }
}

const errorOf = async (polling: Promise<Response>) => (await bodyOf(await polling)).error

it('codes of one world are unknown in another, and good at home', async () => {
  const worlds = [COMMON, await makeUniverse(), await makeUniverse()]
  const furniture = await Promise.all(worlds.map(furnish))
  for (const own of furniture) {
    for (const foreign of furniture.filter((other) => other !== own)) {
      expect(await errorOf(pollTokens(own.send, own.app, foreign.codes.device_code))).toBe('invalid_grant')
      expect(await errorOf(pollTokens(own.send, foreign.app, foreign.codes.device_code))).toBe('invalid_client')
      expect((await openDevice(own.send, ACCOUNT, foreign.codes.user_code)).response?.status).toBe(400)
    }
  }
  for (const { send, app, codes } of furniture) {
    await allowDevice(send, ACCOUNT, codes.user_code)
    expect((await pollTokens(send, app, codes.device_code)).status).toBe(200)
  }
})

it('codes name the page of their world, by path and by host', async () => {
  configure({ universeHost: UNIVERSE_HOST })
  const world = await makeUniverse()
  const { app } = await furnish(world)
  for (const url of [`${COMMON_ORIGIN}/u/${world.id}`, hostUrlOf(world)]) {
    const { send } = worldAt(url, world.id)
    const { verification_uri, device_code, user_code } = await getDeviceCodes(send, app)
    expect(verification_uri).toBe(`${url}/device`)
    await allowDevice(send, ACCOUNT, user_code)
    expect((await pollTokens(send, app, device_code)).status).toBe(200)
  }
})

it('codes and wrong codes count in their world only', async () => {
  configure({ deviceCodesPerHour: 1 })
  const [one, two] = [await makeUniverse(), await makeUniverse()]
  const address = fromAnywhere()
  for (const world of [one, two, COMMON]) {
    const send = from(world, address)
    const app = await registerDevice(send)
    const { user_code } = await getDeviceCodes(send, app)
    expect((await authorizeDevice(send, app)).status).toBe(429)
    const browser = new UserAgent(send)
    for (let times = 0; times < 11; times++) {
      await browser.open('/device')
      await browser.submit({ user_code: times === 0 ? user_code : 'BBBB-BBBB' })
      expect(browser.response?.status).toBe(times === 0 ? 200 : 400)
    }
    await browser.submit({ user_code })
    expect(browser.response?.status).toBe(429)
  }
})

it.each([
  ['waits', async () => {}],
  ['was allowed', async (send: Send, { user_code }: DeviceCodes) => void (await allowDevice(send, ACCOUNT, user_code))],
])('a reset ends a code that %s, and the page that asks about it', async (_, decide) => {
  const world = await makeUniverse()
  const { send, app, codes } = await furnish(world)
  const other = await getDeviceCodes(send, app)
  const browser = await openDevice(send, ACCOUNT, other.user_code)
  await decide(send, codes)
  expect((await world.own('POST', '/universe/reset')).status).toBe(204)
  expect(await errorOf(pollTokens(send, app, codes.device_code))).toBe('invalid_client')
  await browser.submit({ decision: 'allow' })
  expect(browser.response?.status).toBe(400)
  const again = await furnish(world)
  expect(await errorOf(pollTokens(again.send, again.app, codes.device_code))).toBe('invalid_grant')
  expect((await openDevice(again.send, ACCOUNT, codes.user_code)).response?.status).toBe(400)
})
