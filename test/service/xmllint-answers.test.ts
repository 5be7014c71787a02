import { beforeAll, describe, expect, it } from 'vitest'
import { ENTITY_MAX_BYTES } from '../../src/domain/limits.ts'
import { dereferenced } from '../support/dereferenced.ts'
import { bodyOf } from './galaxy.ts'
import { shareGalaxy } from './prepared-state.ts'
import { hasXmllint, judge, PROBLEMS } from './xmllint.ts'

// xmllint judges XML independently. All XML that the service sends must be well-formed, whatever the service received.

const JSON_TYPE = { 'Content-Type': 'application/json' }
const XML_TYPE = { 'Content-Type': 'application/xml' }
const PERSON = { email: 'judge@example.com', password: 'i-love-planets', name: `<&"'>]]>\r\n🪐` }

const HOSTILE = [
  `<&"'>`,
  ']]>',
  '<![CDATA[x]]>',
  '<!-- -- -->',
  '<?x?>',
  '&amp;&#0;&x;',
  '\t\n\r\u0085\u2028\u007f\u009f',
  '🪐火星é\u0301\u200d',
  '\u{10ffff}\u{1fffe}\ufdd0\ufffd',
  ' a b ',
  '_x0020_',
  '_x005F_x0020_',
  '1.-·',
  'a:b:c',
  ':',
  'xmlns:x="y"',
  'xsi:nil="true"',
  '__defineGetter__',
  'xml',
  '</planet><planet>',
]

interface Answer {
  what: string
  status: number
  text: string
}

const galaxy = shareGalaxy()
let authorization: Record<string, string> = {}

async function send(
  method: string,
  path: string,
  body?: string | ReadableStream | FormData,
  headers: object = {},
): Promise<Answer> {
  const response = await fetch(new URL(path, galaxy.url), {
    method,
    ...(body !== undefined && { body, duplex: 'half' }),
    headers: { ...authorization, Accept: 'application/xml', ...headers },
  })
  expect(response.headers.get('Content-Type')).toMatch(/^application\/(?:problem\+)?xml$/)
  return { what: `${method} ${path}`, status: response.status, text: await response.text() }
}

function postJson(path: string, body: unknown): Promise<Answer> {
  return send('POST', path, JSON.stringify(body), JSON_TYPE)
}

/** The same for each of these. */
async function sendAll<Item>(items: readonly Item[], one: (item: Item, index: number) => Promise<Answer>) {
  return await Promise.all(items.map(one))
}

/** Checks the statuses, that the documents are well-formed, and that errors are problems as RFC 9457 has them. */
function expectWellFormed(expected: number, answers: readonly Answer[]): void {
  const verdicts = judge(
    answers.map(({ text }) => text),
    expected < 400 ? undefined : PROBLEMS,
  )
  const seen = answers.map(({ what, status }, index) => [what, status, verdicts[index]])
  expect(seen).toEqual(answers.map(({ what }) => [what, expected, '']))
}

/** The id of the planet in a response. It comes after the ids of the satellites. */
function idOf({ text }: Answer): string {
  return [...text.replaceAll(/<satellites>.*?<\/satellites>/gs, '').matchAll(/<id>(\d+)<\/id>/g)][0]?.[1] ?? ''
}

describe.runIf(hasXmllint)('xmllint finds nothing in', () => {
  beforeAll(async () => {
    await postJson('/user/signup', PERSON)
    const { text } = await postJson('/auth/token', PERSON)
    authorization = { Authorization: `Bearer ${/<token>([^<]*)</.exec(text)?.[1]}` }
  })

  it('a problem only if it has the namespace of problems and nothing of another one', () => {
    const problem = (attributes: string, content = '') => `<problem ${attributes}>${content}</problem>`
    const namespace = 'xmlns="urn:ietf:rfc:7807"'
    const good = [problem(namespace), problem(namespace, '<status>404</status><errors><i><a>x</a></i></errors>')]
    const bad = [problem(''), problem(namespace, '<status>x</status>'), problem(namespace, '<a xmlns="b"/>')]
    expect(judge(good, PROBLEMS)).toEqual(['', ''])
    expect(judge(bad, PROBLEMS).every((verdict) => verdict.includes('fails to validate'))).toBe(true)
  })

  it('what is read', async () => {
    const lists = ['/planets?limit=100', '/planets?limit=100&offset=5300', '/planets?offset=99999']
    const answers = await sendAll(['/', '/me', '/planets/1', '/planets/5402', ...lists], (path) => send('GET', path))
    expectWellFormed(200, answers)
  })

  it('accounts, tokens and pictures', async () => {
    expectWellFormed(
      201,
      await sendAll(HOSTILE, (name, i) => postJson('/user/signup', { ...PERSON, name, email: `${i}@b.co` })),
    )
    expectWellFormed(201, [await postJson('/auth/token', PERSON)])
    const form = new FormData()
    form.set('image', new Blob(['GIF89a', new Uint8Array(100)]))
    const planet = await postJson('/planets', { name: 'Pictured' })
    expectWellFormed(200, [await send('POST', `/planets/${idOf(planet)}/image`, form)])
  })

  it('planets with hostile names, texts and keys, which are stored unchanged', async () => {
    const planets = HOSTILE.map((hostile) => ({
      name: hostile,
      description: hostile,
      image: hostile,
      tags: [hostile],
      physicalProperties: { [hostile]: 1e-7, temperature: { [hostile]: -1e308 } },
      atmosphere: [{ compound: hostile, [hostile]: hostile }],
      satellites: [{ name: hostile, description: null, orbit: { distance: 5e-324 } }],
    }))
    const made = await sendAll(planets, (planet) => postJson('/planets', planet))
    expectWellFormed(201, made)
    const paths = made.map((answer) => `/planets/${idOf(answer)}`)
    expectWellFormed(200, await sendAll(paths, (path) => send('GET', path)))
    expectWellFormed(200, await sendAll(made, ({ text }, index) => send('PUT', paths[index] ?? '', text, XML_TYPE)))
    expectWellFormed(200, [await send('GET', '/planets?limit=100&offset=5402')])
    for (const [index, planet] of planets.entries()) {
      expect(await bodyOf(await fetch(new URL(paths[index] ?? '', galaxy.url)))).toMatchObject(planet)
    }
  })

  it('errors that repeat a body', async () => {
    const bodies = HOSTILE.flatMap((hostile) => [
      { [hostile]: 1 },
      { name: 1, tags: hostile, physicalProperties: { [hostile]: hostile } },
      { name: 'a', atmosphere: [{ [hostile]: 1 }], satellites: [{ name: '', type: hostile }] },
      { [hostile]: '\u0000', [`${hostile}\ud800`]: { [hostile]: '\uffff' } },
    ])
    expectWellFormed(400, await sendAll(bodies, (body) => postJson('/planets', body)))
    const documents = [
      '<é>',
      '<a></é>',
      '<𐀀><𐀀/>x</𐀀>',
      '<_x0000_/>',
      '<_x0000_>&#0;</_x0000_>',
      '<a><_xD800_/><_xD800_/></a>',
      '<a b="\u0000"/>',
    ]
    expectWellFormed(400, await sendAll(documents, (text) => send('POST', '/planets', text, XML_TYPE)))
  })

  it('errors that repeat a header', async () => {
    const odd = ['text/<b>&amp;', 'text/\x80\x85\xff', 'text/"\']]>', `x${'é'.repeat(500)}`]
    const post = (headers: object) => send('POST', '/planets', '{}', { ...JSON_TYPE, ...headers })
    expectWellFormed(415, await sendAll(odd, (type) => post({ 'Content-Type': type })))
    expectWellFormed(415, await sendAll(odd, (coding) => post({ 'Content-Encoding': coding })))
    expectWellFormed(400, await sendAll(odd, (name) => post({ 'Content-Type': `application/json; charset=${name}` })))
    const others = [
      { 'X-D1-Bookmark': '<&>' },
      { 'API-Version': ']]>\xff' },
      { Prefer: 'code=<&>' },
      { Prefer: 'delay=]]>' },
    ]
    expectWellFormed(400, await sendAll(others, (headers) => send('GET', '/planets', undefined, headers)))
  })

  it('all other errors', async () => {
    const get = (path: string, headers?: object) => send('GET', path, undefined, headers)
    expectWellFormed(400, [await get('/planets?limit=%3C%26%3E&offset=%00')])
    expectWellFormed(401, [await get('/me', { Authorization: 'Bearer <&>\xff' })])
    expectWellFormed(403, [await send('DELETE', '/planets/1')])
    expectWellFormed(404, await sendAll(['/<&>', '/%00', '/planets/%ff', '/images/]]>'], (path) => get(path)))
    expectWellFormed(405, [await send('POST', '/planets/1')])
    expectWellFormed(406, [await get('/planets', { Accept: 'application/problem+xml' })])
    expectWellFormed(409, [await postJson('/user/signup', { ...PERSON, email: 'JUDGE@example.com' })])
    expectWellFormed(412, [await get('/planets/1', { 'If-Match': '"<&>"' })])
    // In chunks, so that the service reads up to the limit: of what it leaves, a slow client would lose the response.
    const large = new Blob(['<'.repeat(ENTITY_MAX_BYTES + 1000)]).stream()
    expectWellFormed(413, [await send('POST', '/planets', large, JSON_TYPE)])
    expectWellFormed(422, [await postJson('/user/signup', { ...PERSON, password: '<&>]]' })])
  })

  it('the example of every response that can be requested', async () => {
    const { paths } = dereferenced(await bodyOf(await fetch(new URL('/openapi.json', galaxy.url))))
    const answers = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.entries<{ responses?: object; servers?: object }>({ ...item }).flatMap(
        ([method, { responses = {}, servers }]) =>
          Object.entries<{ content?: object }>({ ...responses })
            .filter(([, { content = {} }]) => Object.keys(content).some((type) => /[/+]xml$/.test(type)))
            .map(([status]) => ({
              method: method.toUpperCase(),
              path,
              status: Number(status),
              isOfUniverse: !!servers,
            })),
      ),
    )
    const askable = answers.filter(({ path }) => !/\{(?!planetId\})/.test(path))
    expect(askable.length).toBeGreaterThan(20)
    const universe = await bodyOf(await fetch(new URL('/universes', galaxy.url), { method: 'POST' }))
    const owner = { Authorization: `Bearer ${universe.token}` }
    for (const [status, asked] of Map.groupBy(askable, (answer) => answer.status)) {
      const headers = { Prefer: `code=${status}` }
      const ask = ({ method, path, isOfUniverse }: (typeof asked)[number]) =>
        isOfUniverse
          ? send(method, universe.url + path, undefined, { ...owner, ...headers })
          : send(method, path.replace('{planetId}', '1'), undefined, headers)
      expectWellFormed(status, await sendAll(asked, ask))
    }
  })
})
