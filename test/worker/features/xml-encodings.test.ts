import { beforeAll, describe, expect, it } from 'vitest'
import { PlanetInput } from '../../../src/schemas/planet.ts'
import { encodeXml } from '../../../src/xml/encode.ts'
import { type Account, authorization, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'

// XML 1.0, section 4.3.3: processors must read UTF-8 and UTF-16. test/pure/xml/encoding.test.ts has the encodings one
// by one.

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

const NAME = '火星 & 🪐 — Æther'
const DOCUMENT = encodeXml({ name: NAME, tags: ['é', '行星'] }, PlanetInput)
const HEAD = /^<\?xml[^>]*\?>\n/

/** A document in UTF-16, with the bytes of each unit in the given order. */
function widen(text: string, littleEndian: boolean): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(text.length * 2))
  for (let index = 0; index < text.length; index++) view.setUint16(index * 2, text.charCodeAt(index), littleEndian)
  return new Uint8Array(view.buffer)
}

/** As `lxml.etree.tostring(x, xml_declaration=True)` writes it: what is not ASCII becomes references. */
function toAscii(text: string): string {
  const escaped = text.replaceAll(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`)
  return escaped.replace(HEAD, "<?xml version='1.0' encoding='ASCII'?>\n")
}

const send = (method: string, path: string, body: BodyInit, type = 'application/xml') =>
  client.send(path, { method, body, headers: { 'Content-Type': type, ...authorization(account) } })

const named = (name: string) => DOCUMENT.replace(HEAD, `<?xml version="1.0" encoding="${name}"?>\n`)
const bare = DOCUMENT.replace(HEAD, '')

describe('a planet is the same, whatever encoding its XML has', () => {
  it.each<[name: string, body: BodyInit, type?: string]>([
    ['UTF-16 with a mark, little end first, as .NET writes it', widen(`\ufeff${named('utf-16')}`, true)],
    ['UTF-16 with a mark, big end first, as Java writes it', widen(`\ufeff${named('UTF-16')}`, false)],
    ['UTF-16LE without a mark', widen(named('UTF-16LE'), true), 'text/xml'],
    ['UTF-16BE without a mark', widen(named('UTF-16BE'), false)],
    ['UTF-16 that only its Content-Type names', widen(bare, false), 'application/xml; charset=utf-16be'],
    ['ASCII as lxml writes it', toAscii(DOCUMENT)],
    ['ASCII that its Content-Type names', toAscii(DOCUMENT).replace(HEAD, ''), 'text/xml; charset=US-ASCII'],
  ])('%s', async (_, body, type) => {
    const created = await send('POST', '/planets', body, type)
    expect(created.status).toBe(201)
    expect(created.headers.get('Content-Type')).toBe('application/json')
    const { id, name, tags } = await bodyOf(created)
    expect({ name, tags }).toEqual({ name: NAME, tags: ['é', '行星'] })
    const replaced = await send('PUT', `/planets/${id}`, body, type)
    expect([replaced.status, (await bodyOf(replaced)).name]).toEqual([200, NAME])
    const sent = await client.get(`/planets/${id}`, { Accept: 'application/xml' })
    expect(await sent.text()).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>.*<name>火星 &amp; 🪐 — Æther/s)
  })

  it.each<[name: string, body: BodyInit, type?: string]>([
    ['UTF-8 that says UTF-16', named('utf-16')],
    ['UTF-16 that says UTF-8', widen(`\ufeff${named('UTF-8')}`, true)],
    ['UTF-16 without a sign of it', widen(bare, true)],
    ['ASCII with other characters', named('US-ASCII')],
    ['UTF-16 whose Content-Type says UTF-8', widen(`\ufeff${bare}`, true), 'application/xml; charset=utf-8'],
  ])('but %s is 400', async (_, body, type) => {
    const refused = await send('POST', '/planets', body, type)
    expect([refused.status, (await bodyOf(refused)).type]).toEqual([400, expect.stringMatching(/malformed-body$/)])
  })

  it('JSON stays in UTF-8', async () => {
    const json = widen('\ufeff{"name":"a"}', true)
    for (const type of ['application/json', 'application/json; charset=utf-16']) {
      expect((await send('POST', '/planets', json, type)).status).toBe(400)
    }
  })
})

describe('the limit of a body in UTF-16', () => {
  /** Each satellite takes 18 kB in UTF-16 and 27 kB in UTF-8. */
  const planetOf = (satellites: number) =>
    widen(
      `\ufeff<planet><name>a</name>${`<satellites><name>s</name><description>${'火'.repeat(9000)}</description></satellites>`.repeat(satellites)}</planet>`,
      true,
    )

  it('also counts in UTF-8, in which the planet is sent', async () => {
    expect((await send('POST', '/planets', planetOf(9))).status).toBe(201)
    expect(planetOf(10).byteLength).toBeLessThan(256 * 1024)
    expect((await send('POST', '/planets', planetOf(10))).status).toBe(413)
  })

  it('counts the bytes that are sent', async () => {
    expect((await send('POST', '/planets', planetOf(15))).status).toBe(413)
  })
})
