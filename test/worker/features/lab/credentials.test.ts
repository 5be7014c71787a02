import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readLaboratory } from '../../../../src/features/lab/case-files.ts'
import { bodyOf } from '../../../support/app.ts'
import { ENCODINGS, type Kind, makeCredentials, reveals, secretIn } from '../../../support/encoded-credentials.ts'
import { turnOf } from '../../../support/one-of-each.ts'
import { beginRun, createLab, type LabStage, type Run } from './support.ts'

// A client that is tested may send credentials by mistake. Nothing that is stored or shown has them. All encodings are
// tried in test/worker/domain/mask-credentials.test.ts.

let stage: LabStage
let run: Run
let credentials: Record<Kind, string>

beforeAll(async () => {
  credentials = await makeCredentials()
})

beforeEach(async () => {
  stage = createLab()
  run = await beginRun(stage)
})

const KINDS: Kind[] = ['API key', 'JWT', 'secret', 'signing secret', 'Basic', 'Bearer']

const toBinary = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')

/** What is stored of each case that a run has recorded: the steps, and the bytes. */
async function rowsOf({ id }: Run): Promise<string[]> {
  const { results } = await env.DB.prepare('select steps, hex(received) as received from lab_results where run_id = ?')
    .bind(id)
    .all<{ steps: string; received: string }>()
  return results.flatMap(({ steps, received }) => [steps, toBinary(Uint8Array.fromHex(received))])
}

/** Every representation of a run. */
async function pagesOf({ path }: Run): Promise<string[]> {
  const pages = ['', '/report', '/junit.xml?level=extended', '/gate'].map((page) => stage.client.get(path + page))
  return await Promise.all(pages.map(async (page) => await (await page).text()))
}

interface Sent {
  path: string
  init?: RequestInit
}

const post = (path: string, type: string, body: BodyInit): Sent => ({
  path,
  init: { method: 'POST', body, headers: { 'Content-Type': type } },
})

/** Each place that is judged, with a text in it. */
const PLACES: Record<string, (text: string) => Sent> = {
  'the query': (text) => ({ path: `query/form-string?color=blue&api_key=${text}` }),
  'a value': (text) => ({ path: `query/form-string?color=${text}` }),
  'a list': (text) => ({ path: `query/form-array?color=blue,${text}` }),
  'an open case': (text) => ({ path: `query/null?color=${text}` }),
  'the path': (text) => ({ path: `path/simple-string/${text}` }),
  'the end of a redirect': (text) => ({ path: `redirect/301-get/${text}` }),
  'a header': (text) => ({ path: 'header/string', init: { headers: { 'X-Color': text } } }),
  'a cookie': (text) => ({ path: 'cookie/string', init: { headers: { Cookie: `color=${text}` } } }),
  'Idempotency-Key': (text) => ({
    path: 'retry/same-key',
    init: { method: 'POST', body: '{}', headers: { 'Idempotency-Key': text, 'Content-Type': 'application/json' } },
  }),
  'Content-Type': (text) => post('body/object', `text/plain; charset="${text}"`, '{}'),
  'a form': (text) => post('form/text', 'application/x-www-form-urlencoded', `color=blue&client_secret=${text}`),
  JSON: (text) => post('body/object', 'application/json', `{"name":"${text}"}`),
  bytes: (text) => post('body/bytes', 'application/octet-stream', new TextEncoder().encode(`\0ÿ${text}\0`)),
  XML: (text) => post('xml/attribute', 'application/xml', `<planet name="${text}">`),
  'a part': (text) =>
    post(
      'multipart/text',
      'multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; name="${text}"\r\n\r\nblue\r\n--b--\r\n`,
    ),
}

const ENCODED = ['as it is', 'percent-encoded, letters too', 'in base64, after one byte']

/** One function masks all places. So the first has every kind of credential, and the others share the kinds. */
const HIDDEN = Object.keys(PLACES).flatMap((place, index) =>
  (index === 0 ? KINDS : turnOf(KINDS, index)).map((kind) => ({ place, kind })),
)

describe.each(HIDDEN)('in $place', ({ place, kind }) => {
  it(`a credential is not stored: ${kind}`, async () => {
    const credential = credentials[kind]
    for (const encoding of ENCODED) {
      const text = ENCODINGS[encoding]?.(credential) ?? ''
      const { path, init } = PLACES[place]?.(text) ?? { path: '' }
      const answers = [await (await run.call(path, init)).text()]
      // Retries are only in runs.
      if (!path.startsWith('retry')) answers.push(await (await stage.client.send(`/lab/try/${path}`, init)).text())
      const stored = await rowsOf(run)
      expect(stored).toHaveLength(2)
      // The pages of a run are written from its rows.
      const shownToo = encoding === ENCODED[0] ? await pagesOf(run) : []
      for (const shown of [...answers, ...stored, ...shownToo])
        expect([encoding, reveals(shown, secretIn(credential)), shown]).toEqual([encoding, false, shown])
    }
  })
})

it('a credential in any part of any case is in nothing that a run has', async () => {
  const { cases } = await readLaboratory(env.ASSETS)
  const text = credentials['API key']
  for (const { id, method, body } of cases) {
    if (body) await run.call(id, { method, body: `{"a": "${text}"}&b=${text}\r\n--b\r\n<c>${text}</c>` })
    else await run.call(`${id}/${text}?x=${text}`, { method, headers: { Cookie: `color=${text}`, 'X-Color': text } })
  }
  const { results } = await run.read()
  expect(results.length).toBeGreaterThan(170)
  for (const shown of [...(await rowsOf(run)), ...(await pagesOf(run))]) expect(reveals(shown, text)).toBe(false)
}, 60_000)

describe('the verdict and the byte of the difference', () => {
  /** A text that is as long, has the same characters, and is no credential. */
  const decoyOf = (credential: string) => credential.replace(/^(...)/, 'xyz')

  it.each(Object.keys(PLACES))('are the same as for another text, in %s', async (place) => {
    for (const encoding of turnOf(ENCODED, Object.keys(PLACES).indexOf(place))) {
      const write = (text: string) => PLACES[place]?.(ENCODINGS[encoding]?.(text) ?? '') ?? { path: '' }
      const results = []
      for (const text of [credentials['API key'], decoyOf(credentials['API key'])]) {
        const one = await beginRun(stage)
        const { path, init } = write(text)
        await one.call(path, init)
        const [{ verdict, at, received, encoding: form }] = (await one.read()).results
        results.push({ verdict, at, form, length: received.length })
      }
      expect(results[0]).toEqual(results[1])
    }
  })

  it('are told, with all that is no credential', async () => {
    const key = credentials['API key']
    const answer = await bodyOf(await run.call(`query/form-string?color=blue&api_key=${key}&x=1`))
    expect(answer).toMatchObject({ verdict: 'fail', at: 11, received: `color=blue&api_key=${'*'.repeat(52)}&x=1` })
    expect((await run.result('query/form-string')).received).toBe(answer.received)
  })

  it('what a sentence quotes is masked, unless it can be seen anyway', async () => {
    const key = credentials['API key']
    const { reason } = await bodyOf(await run.call(`query/form-string?color=${key}`))
    expect(reason).toMatch(/^"color" in the query is "\*{41}", not "blue"\.$/)
    const more = await bodyOf(await run.call(`query/form-string?color=blue&api_key=${key}`))
    expect(more.reason).toBe('"api_key" in the query should not be there.')
    const plain = await bodyOf(await run.call('query/form-string?color=red'))
    expect(plain.reason).toBe('"color" in the query is "red", not "blue".')
  })

  it('a credential is masked where a text is cut, too', async () => {
    const secret = credentials.secret
    for (const before of [2048 - 44, 2048 - 20, 2048 - 1]) {
      const body = `"${'x'.repeat(before - 2)} ${secret}"`
      const { received } = await bodyOf(await run.call('body/top-string', { method: 'POST', body }))
      expect([received.length, received.slice(before)]).toEqual([
        2048,
        '*'.repeat(43).slice(0, 2048 - before) + '"'.repeat(received.length - before > 43 ? 1 : 0),
      ])
    }
  })
})

describe('the delimiter of a form', () => {
  const send = (boundary: string) => {
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="tags"\r\n\r\nx\r\n--${boundary}--\r\n`
    const { path, init } = post('multipart/array', `multipart/form-data; boundary=${boundary}`, body)
    return run.call(path, init)
  }

  it('is shown, though it is as long as a secret', async () => {
    // As Apache HttpClient makes them: 30 to 40 characters.
    const boundary = 'Xk3-f9Zq_PL0aRtYw2Bn7vCm4dHs8jGe6uQi'
    const { received } = await bodyOf(await send(boundary))
    expect(received).toContain(`\r\n--${boundary}--\r\n`)
  })

  it('is masked if it is a credential', async () => {
    await send(credentials['API key'])
    const texts = [...(await rowsOf(run)), ...(await pagesOf(run))]
    expect(texts.filter((text) => text.includes(credentials['API key']))).toEqual([])
  })
})
