import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { CatalogueMemory } from '../../src/stores/catalogue.ts'
import { finishDeferred } from '../support/deferred.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import {
  bearer,
  bodyOf,
  COMMON,
  commonEnv,
  commonServices,
  makeUniverse,
  queue,
  replaceServices,
  uploadTo,
  useWorlds,
  type World,
} from '../support/worlds.ts'

useWorlds()

// Requests to several worlds, at the same time and in any order, get the answers that they would have got if the other
// worlds did not exist.

/** What a visitor has got from a world so far. Requests name things by their place in these lists. */
interface Visitor {
  world: World
  tokens: string[]
  keys: string[]
  planets: number[]
  webhooks: number[]
  inboxes: string[]
  clients: string[]
  pictures: string[]
  /** The answers, in the order of the requests. */
  answers: string[]
}

type Act = (visitor: Visitor, choice: number) => Promise<Response>

const ADDRESS = { 'CF-Connecting-IP': '192.0.2.1' }
/** An id that nothing has, for whoever has got none. */
const NO_ID = '00000000-0000-4000-8000-000000000000'

const chosen = <Item>(items: readonly Item[], choice: number, otherwise: Item): Item =>
  items.length === 0 ? otherwise : (items[choice % items.length] ?? otherwise)
const tokenOf = ({ tokens }: Visitor, choice: number) => chosen(tokens, choice, 'none')
const planetOf = ({ planets }: Visitor, choice: number) => chosen(planets, choice, 1)
const accountOf = (choice: number) => ({ email: `user-${choice % 3}@example.com`, password: 'correct horse' })

function post({ world }: Visitor, path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const all = { 'Content-Type': 'application/json', ...ADDRESS, ...headers }
  return world.send(path, { method: 'POST', headers: all, body: JSON.stringify(body) })
}

async function noting<Value>(response: Promise<Response>, list: Value[], read: (body: never) => Value) {
  const answer = await response
  if (answer.ok) list.push(read((await bodyOf(answer.clone())) as never))
  return answer
}

/** Registry: what a visitor does. */
const ACTS: Record<string, Act> = {
  signUp: (visitor, choice) => post(visitor, '/user/signup', accountOf(choice)),
  signIn: (visitor, choice) =>
    noting(post(visitor, '/auth/token', accountOf(choice)), visitor.tokens, ({ token }) => token),
  me: (visitor, choice) => visitor.world.sendJson('GET', '/me', undefined, tokenOf(visitor, choice)),
  createPlanet: (visitor, choice) =>
    noting(
      visitor.world.sendJson('POST', '/planets', { name: `P${choice}` }, tokenOf(visitor, choice)),
      visitor.planets,
      ({ id }) => id,
    ),
  changePlanet: (visitor, choice) =>
    visitor.world.sendJson('PUT', `/planets/${planetOf(visitor, choice)}`, { name: 'Other' }, tokenOf(visitor, 0)),
  explodePlanet: (visitor, choice) =>
    visitor.world.sendJson('DELETE', `/planets/${planetOf(visitor, choice)}`, undefined, tokenOf(visitor, 0)),
  getPlanet: ({ world }, choice) => world.send(`/planets/${1 + (choice % 4)}`),
  listPlanets: ({ world }) => world.send('/planets'),
  createBody: (visitor, choice) =>
    visitor.world.sendJson('POST', '/celestial-bodies', { name: 'Sun', type: 'star' }, tokenOf(visitor, choice)),
  listBodies: ({ world }) => world.send('/celestial-bodies'),
  createKey: (visitor, choice) =>
    noting(
      visitor.world.sendJson('POST', '/me/api-keys', {}, tokenOf(visitor, choice)),
      visitor.keys,
      ({ key }) => key,
    ),
  useKey: (visitor, choice) =>
    visitor.world.send('/deliveries', { headers: { 'X-API-Key': chosen(visitor.keys, choice, 'glx_none') } }),
  subscribe: (visitor, choice) =>
    noting(
      visitor.world.sendJson(
        'POST',
        '/webhooks',
        { url: `https://receiver.example/${choice % 2}`, events: ['newPlanet'] },
        tokenOf(visitor, choice),
      ),
      visitor.webhooks,
      ({ id }) => id,
    ),
  listWebhooks: (visitor, choice) => visitor.world.sendJson('GET', '/webhooks', undefined, tokenOf(visitor, choice)),
  createInbox: (visitor) => noting(post(visitor, '/inboxes', {}), visitor.inboxes, ({ id }) => id),
  callInbox: (visitor, choice) =>
    post(visitor, `/inboxes/${chosen(visitor.inboxes, choice, NO_ID)}/callbacks`, { choice }),
  readInbox: ({ world, inboxes }, choice) => world.send(`/inboxes/${chosen(inboxes, choice, NO_ID)}`),
  registerClient: (visitor, choice) =>
    noting(
      post(visitor, '/oauth/register', { redirect_uris: ['http://127.0.0.1/'] }, bearer(tokenOf(visitor, choice))),
      visitor.clients,
      ({ client_id }) => client_id,
    ),
  listClients: (visitor, choice) => visitor.world.sendJson('GET', '/me/clients', undefined, tokenOf(visitor, choice)),
  upload: (visitor, choice) =>
    noting(
      uploadTo(visitor.world, planetOf(visitor, choice), tokenOf(visitor, 0)),
      visitor.pictures,
      ({ imageUrl }) => String(imageUrl).split('/').at(-1) ?? '',
    ),
  getPicture: ({ world, pictures }, choice) => world.send(`/images/${chosen(pictures, choice, NO_ID)}`),
}

/** A request of a visitor. */
interface Step {
  act: string
  choice: number
  /** Turns of the event loop before the request is sent. */
  pause: number
}

/** What every visitor begins with, because without a token most requests are refused. */
const FIRST: readonly Step[] = ['signUp', 'signIn', 'createPlanet'].map((act) => ({ act, choice: 0, pause: 0 }))

const STEPS = fc.array(
  fc.record({
    act: fc.constantFrom(...Object.keys(ACTS)),
    choice: fc.nat({ max: 5 }),
    pause: fc.nat({ max: 3 }),
  }),
  { minLength: 5, maxLength: 25, size: 'max' },
)

/** Everything in an answer that is random, or a time, or an address. */
function comparable({ url, id }: World, text: string): string {
  return text
    .replaceAll(url, '{url}')
    .replaceAll(`/u/${id}`, '')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{time}')
    .replaceAll(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, '{time}')
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '{token}')
    .replaceAll(/glx_\w+/g, '{key}')
    .replaceAll(/\b[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}\b/g, '{id}')
    .replaceAll(/\b[\da-f]{32,64}\b/g, '{random}')
    .replaceAll(/"(secret|client_secret|preview|client_id_issued_at)":("[^"]*"|\d+)/g, '"$1":{random}')
}

/** The headers that say something of what a world contains. */
const HEADERS = ['location', 'link', 'x-pagination-total', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after']

async function describeAnswer(world: World, response: Response): Promise<string> {
  const headers = HEADERS.map((name) => `${name}: ${response.headers.get(name)}`).join(', ')
  return comparable(world, `${response.status} {${headers}} ${new TextDecoder().decode(await response.arrayBuffer())}`)
}

/** Sends the requests of a visitor, one after the other. @returns The answers */
async function visit(world: World, steps: readonly Step[]): Promise<string[]> {
  const lists = { tokens: [], keys: [], planets: [], webhooks: [], inboxes: [], clients: [], pictures: [], answers: [] }
  const visitor: Visitor = { world, ...lists }
  for (const { act, choice, pause } of [...FIRST, ...steps]) {
    for (let turn = 0; turn < pause; turn++) await scheduler.wait(0)
    const response = await ACTS[act]?.(visitor, choice)
    if (response) visitor.answers.push(`${act}(${choice}): ${await describeAnswer(world, response)}`)
  }
  return visitor.answers
}

/** The common world as it is before anybody comes. */
async function emptyCommonWorld(): Promise<World> {
  await finishDeferred()
  queue.held.splice(0)
  await freshDatabase(
    commonEnv.DB,
    inject('database').migrations.flatMap(({ queries }) => queries),
  )
  commonServices.ids.forget()
  replaceServices({ catalogue: new CatalogueMemory() })
  return COMMON
}

it('worlds do not notice one another, whatever is asked of them, in any order and at the same time', async () => {
  let answered = 0
  await fc.assert(
    fc.asyncProperty(STEPS, STEPS, STEPS, async (first, second, third) => {
      await emptyCommonWorld()
      const [one, two] = [await makeUniverse(), await makeUniverse()]
      const together = await Promise.all([visit(one, first), visit(two, second), visit(COMMON, third)])
      const common = await emptyCommonWorld()
      const alone = [
        await visit(await makeUniverse(), first),
        await visit(await makeUniverse(), second),
        await visit(common, third),
      ]
      expect(together).toEqual(alone)
      answered += together.flat().filter((answer) => /^\w+\(\d\): 2/.test(answer)).length
    }),
    { numRuns: 6 },
  )
  // Otherwise almost every request was refused, and the answers say little. It is about 230.
  expect(answered).toBeGreaterThan(120)
}, 240_000)
