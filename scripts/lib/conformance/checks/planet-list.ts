import { type Check, reads, type Setting } from '../check.ts'
import { expectCacheControl, expectProblem, expectRequestId, isSame } from '../expectations.ts'
import { PLANET_LIST } from '../shapes.ts'
import { childrenOf, textOf } from '../xml.ts'

async function getPage(setting: Setting, query: string) {
  const answer = await (await setting.quiet()).get(`/planets?${query}`)
  return { answer, page: answer.expectStatus(200).json(PLANET_LIST) }
}

async function checkLimit(setting: Setting) {
  const { answer, page } = await getPage(setting, 'limit=2')
  answer.expect(page.data.length === 2, 'two planets')
  for (const limit of ['0', '-1', 'two', '', '1.5']) await expectRefused(setting, `limit=${limit}`)
}

/** Without a limit it is 10, and a page has at most 100. */
async function checkMetaLimit(setting: Setting) {
  for (const [query, limit] of [
    ['', 10],
    ['limit=2', 2],
    ['limit=1000', 100],
  ] as const) {
    const { answer, page } = await getPage(setting, query)
    answer.expect(page.meta.limit === limit, `meta.limit ${limit} for ${query || 'no limit'}`)
  }
}

async function checkOffset(setting: Setting) {
  const { page: first } = await getPage(setting, 'limit=2')
  const { answer, page } = await getPage(setting, 'limit=1&offset=1')
  answer.expect(isSame(page.data, [first.data[1]]), 'the second planet of the list')
  for (const offset of ['-1', 'one', '']) await expectRefused(setting, `offset=${offset}`)
}

/** Without an offset it is 0. */
async function checkMetaOffset(setting: Setting) {
  for (const [query, offset] of [
    ['', 0],
    ['offset=1', 1],
  ] as const) {
    const { answer, page } = await getPage(setting, query)
    answer.expect(page.meta.offset === offset, `meta.offset ${offset}`)
  }
}

async function expectRefused(setting: Setting, query: string) {
  expectProblem(await (await setting.quiet()).get(`/planets?${query}`), 400)
}

async function checkData(setting: Setting) {
  const { answer, page } = await getPage(setting, 'limit=3')
  const ids = page.data.map(({ id }: { id: number }) => id)
  answer.expect(
    ids.length === 3 && ids.every((id: number, index: number) => index === 0 || id > ids[index - 1]),
    'three planets in the order of their ids',
  )
}

/**
 * How many planets before the end `getLastPage` begins. So it finds a last page even if others delete planets
 * meanwhile.
 */
const LAST_PLANETS = 50
/** A list that never ends is given up after this many pages. */
const PAGES_MAX = 100

/** Gets the last page. Others may use the world, so only the members of one response can be compared. */
async function getLastPage(setting: Setting) {
  const { page } = await getPage(setting, 'limit=1')
  let offset = Math.max(page.meta.total - LAST_PLANETS, 0)
  for (let pages = 1; ; pages++) {
    const last = await getPage(setting, `limit=100&offset=${offset}`)
    const { data, meta } = last.page
    if (meta.next === null || data.length === 0 || pages === PAGES_MAX) return last
    // A page may end early, because its size is limited.
    offset += data.length
  }
}

async function checkTotal(setting: Setting) {
  const { answer: shortAnswer, page: short } = await getPage(setting, 'limit=1')
  shortAnswer.expect(short.meta.total >= 3, 'the number of all planets in meta.total, not of those on the page')
  const { answer, page } = await getLastPage(setting)
  const { offset, total } = page.meta
  answer.expect(total === offset + page.data.length, 'the number of all planets in meta.total')
}

async function checkNext(setting: Setting) {
  const { answer, page } = await getPage(setting, 'limit=1')
  const { next } = page.meta
  answer.expect(typeof next === 'string' && next.startsWith('/'), 'a relative path in meta.next')
  const origin = new URL((await setting.quiet()).url).origin
  const following = (await (await setting.quiet()).get(origin + next)).expectStatus(200).json(PLANET_LIST)
  answer.expect(following.data[0]?.id > page.data[0]?.id, 'a meta.next that leads to the following planet')
  const { answer: lastAnswer, page: last } = await getLastPage(setting)
  lastAnswer.expect(last.meta.next === null, 'meta.next null on the last page')
}

async function checkXml(setting: Setting) {
  const { page } = await getPage(setting, 'limit=2')
  const answer = await (await setting.quiet()).get('/planets?limit=2', { headers: { Accept: 'application/xml' } })
  const root = answer.expectStatus(200).xml('planets')
  const names = childrenOf(root, 'data').map((planet) => textOf(planet, 'name'))
  const expected = page.data.map(({ name }: { name: string }) => name)
  answer.expect(isSame(names, expected), `an element data for each of ${expected.join(', ')}`)
  answer.expect(childrenOf(root, 'meta').length === 1, 'an element meta')
}

async function expectPagination(
  setting: Setting,
  header: string,
  expectedOf: (meta: Record<string, number>) => number,
) {
  const { answer, page } = await getPage(setting, 'limit=2&offset=2')
  answer.expectHeader(header, String(expectedOf(page.meta)))
}

export const planetListChecks: Check[] = reads('GET /planets', [
  ['query limit', checkLimit],
  ['query offset', checkOffset],
  ['200 in JSON, without credentials', (setting) => getPage(setting, 'limit=3')],
  ['200 in XML, root planets', checkXml],
  ['data', checkData],
  ['meta.limit', checkMetaLimit],
  ['meta.offset', checkMetaOffset],
  ['meta.total', checkTotal],
  ['meta.next', checkNext],
  ['header X-Request-ID', async (setting) => expectRequestId((await getPage(setting, '')).answer)],
  ['header X-Pagination-Total', (setting) => expectPagination(setting, 'X-Pagination-Total', ({ total = 0 }) => total)],
  [
    'header X-Pagination-Page',
    (setting) =>
      expectPagination(setting, 'X-Pagination-Page', ({ offset = 0, limit = 1 }) => Math.floor(offset / limit) + 1),
  ],
  [
    'header X-Pagination-Per-Page',
    (setting) => expectPagination(setting, 'X-Pagination-Per-Page', ({ limit = 0 }) => limit),
  ],
  ['header X-Cache-Control', async (setting) => expectCacheControl((await getPage(setting, '')).answer)],
])
