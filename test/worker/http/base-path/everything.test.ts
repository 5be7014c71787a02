import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { COMMON_ROUTES } from '../../../../src/app.ts'
import { forceableStatuses } from '../../../../src/http/examples.ts'
import { HTML } from '../../../../src/http/pages.ts'
import type { Route } from '../../../../src/http/pipeline/route.ts'
import type { Account, Client } from '../../../support/app.ts'
import { isEndless, makeGoodRequest, sendGood } from '../../../support/good-requests.ts'
import { turnOf } from '../../../support/one-of-each.ts'
import { loadShippedPlanets } from '../../../support/shipped.ts'
import { BASE_PATH, createInhabitant, createWorld, findStrayUrls, tolerant } from '../../../support/world-below-path.ts'

// A world below a path: every URL that it says of itself begins with its base URL, on every page and in every document.

let world: Client
let account: Account

beforeAll(async () => {
  await loadShippedPlanets()
  world = tolerant(createWorld())
})

// Some operations end their account.
beforeEach(async () => {
  account = await createInhabitant(world)
})

const isPage = ({ responses }: Route) => Object.values(responses).some(({ files }) => files?.includes(HTML))

// What a stream says of planets is what other responses say of them.
const ENDING = COMMON_ROUTES.filter((route) => !isEndless(route))

/** The examples of an operation: its own, and one of those that all operations share. */
function examplesOf(route: Route): readonly number[] {
  const statuses = forceableStatuses(route)
  const errors = statuses.filter((status) => status >= 400)
  return [...statuses.filter((status) => status < 400), ...turnOf(errors, ENDING.indexOf(route))]
}

describe.each(ENDING.map((route) => [route.operationId, route] as const))('%s', (_, route) => {
  it('names no URL outside its world: in an example, if it refuses a request, and if it serves it', async () => {
    const request = await makeGoodRequest(world, route, account)
    for (const status of examplesOf(route)) {
      const response = await sendGood(world, request, { Prefer: `code=${status}` })
      expect([status, await findStrayUrls(response)]).toEqual([status, []])
    }
    const headers = { Accept: isPage(route) ? HTML : '*/*' }
    const [path = ''] = request.path.split('?')
    const refused = await world.send(`${path}?offset=-1`, { method: request.method, headers })
    expect(await findStrayUrls(refused)).toEqual([])
    const response = await sendGood(world, request, isPage(route) ? { Accept: HTML } : {})
    expect(await findStrayUrls(response)).toEqual([])
  })
})

describe('every page', () => {
  it.each([
    ['the explorer, beyond its first rows', '/?offset=40'],
    ['an error page', '/explore/planets/999999999'],
    ['the page of an echo', '/echo/some/path.html'],
    ...COMMON_ROUTES.filter(({ path, method }) => method === 'get' && !path.includes('{')).map(({ path }) => [
      path,
      path,
    ]),
  ])('loads its files from below its path: %s', async (_, path) => {
    const response = await world.get(path, { Accept: HTML })
    if (!response.headers.get('Content-Type')?.startsWith(HTML)) return
    const page = await response.clone().text()
    expect(await findStrayUrls(response)).toEqual([])
    expect(page).toContain(`<link rel="stylesheet" href="${BASE_PATH}/assets/`)
    expect(page).toContain(`<a class="brand" href="${BASE_PATH}/">`)
    const files = [...page.matchAll(/ (?:href|src)="([^"]*\/assets\/[^"]*)"/g)].map(([, file = '']) => file)
    for (const file of files) expect([file, (await world.send(file)).status]).toEqual([file, 200])
  })
})

it('at the host of the echo, a page links to the public address, and loads its files from below its path', async () => {
  const config = { echoHost: 'galaxy.test', publicUrl: 'https://galaxy.example' }
  const page = await (await createWorld({ config }).get('/echo/some/path', { Accept: HTML })).text()
  expect(page).toContain(`href="${BASE_PATH}/assets/`)
  expect(page).toContain('<a class="brand" href="https://galaxy.example/">')
})

it('what a person has sent is shown as it is, even if it looks like a link', async () => {
  const text = ' href="/planets" src="/x"'
  const page = await (await world.get(`/echo/a.html?q=${encodeURIComponent(text)}`, { Accept: HTML })).text()
  expect(page).toContain('<td> href=&quot;/planets&quot; src=&quot;/x&quot;</td>')
})
