import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { Planet, PlanetInput } from '../../../src/schemas/planet.ts'
import { decodeXml } from '../../../src/xml/decode.ts'
import { encodeXml } from '../../../src/xml/encode.ts'
import { type Account, authorization, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'
import { refusalOf, withoutAdditions, withoutEmptyLists } from '../../support/xml.ts'

// Any planet that the service accepts is accepted in either format, with the same content.

// There are many runs, and each can make several requests.
vi.setConfig({ testTimeout: 60_000 })

/** Runs over HTTP. Those in memory are many more. */
const OVER_HTTP = 20

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

const RESERVED = ['constructor', 'prototype', '__proto__', '']
const UNSERIALISABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

const lookAlike = fc.constantFrom(
  '_x0020_',
  '_x005F_',
  '_x0041',
  '_x0001FA90_',
  '_xD83E_',
  '#text',
  ':@',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '&amp;',
  '&#65;',
  '</name>',
  'xsi:nil="true"',
  '\r\n',
  '\r',
)

/** Text of any characters, with more of those that have a meaning in XML. */
function text(minLength: number, maxLength: number) {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(...' \t\n\r<>&"\'_x0/!?-[]#;'),
    lookAlike,
  )
  // A look-alike uses several characters of the limit.
  return fc.string({ unit, minLength, maxLength: Math.ceil(maxLength / 10) }).map((value) => value.slice(0, maxLength))
}

/** Text that some JSON can contain, but not every format. */
const unserialisable = fc
  .tuple(text(0, 20), fc.constantFrom('\u0000', '\u001f', '\ud83e', '\ude90', '\ufffe', '\uffff'), text(0, 20))
  .map((parts) => parts.join(''))
const anyText = (minLength: number, maxLength: number) =>
  fc.oneof({ weight: 200, arbitrary: text(minLength, maxLength) }, { weight: 1, arbitrary: unserialisable })

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 5e-324, 2.225e-308, 1e308, -1e308, Number.MAX_VALUE, 1e21, 1e-7, 2 ** 53 + 2, 0.1),
)
const positive = fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true })
const upTo = (max: number) => fc.double({ min: 0, max, noNaN: true })
const key = fc.oneof(
  { weight: 200, arbitrary: anyText(1, 30) },
  { weight: 20, arbitrary: fc.constantFrom('toString', 'hasOwnProperty', 'xmlns', 'nil', 'type', 'name') },
  { weight: 1, arbitrary: fc.constantFrom(...RESERVED) },
)

/** An object with known members, each of which can be absent, and additional ones. */
function open(known: Record<string, fc.Arbitrary<unknown>>, free: fc.Arbitrary<unknown>) {
  const others = fc.dictionary(
    key.filter((name) => !Object.hasOwn(known, name)),
    free,
    { maxKeys: 3 },
  )
  return fc.tuple(others, fc.record(known, { requiredKeys: [] })).map(([free, members]) => ({ ...free, ...members }))
}

const satellite = fc.record(
  {
    name: anyText(1, 30),
    description: fc.option(anyText(0, 30), { nil: null }),
    diameter: number,
    type: fc.constantFrom('moon', 'asteroid', 'comet'),
    orbit: fc.record({ orbitalPeriod: number, distance: number }, { requiredKeys: [] }),
  },
  { requiredKeys: ['name'] },
)

const planet = fc.record(
  {
    name: anyText(1, 80),
    description: fc.option(anyText(0, 200), { nil: null }),
    type: fc.constantFrom('terrestrial', 'gas_giant', 'ice_giant', 'dwarf', 'super_earth'),
    habitabilityIndex: upTo(1),
    physicalProperties: open(
      {
        mass: positive,
        radius: positive,
        gravity: number,
        temperature: open({ min: number, average: number }, number),
      },
      number,
    ),
    atmosphere: fc.array(open({ compound: anyText(0, 10), percentage: upTo(100) }, anyText(0, 30)), { maxLength: 3 }),
    discoveredAt: fc.constantFrom('1610-01-07T00:00:00Z', '2016-12-31t23:59:60.5z'),
    image: fc.option(anyText(0, 60), { nil: null }),
    satellites: fc.array(satellite, { maxLength: 3 }),
    tags: fc.array(anyText(1, 20), { maxLength: 3 }),
    successCallbackUrl: fc.webUrl({ withFragments: true, withQueryParameters: true }),
  },
  { requiredKeys: ['name'] },
)

describe('any planet', () => {
  it('is rejected as JSON, or is the same in both formats and in both directions', async () => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(planet, async (sent) => {
        const response = await client.sendJson('POST', '/planets', sent, account)
        expect(response.status).toBe(isUsable(sent) ? 201 : 400)
        if (response.status === 400) return
        taken++
        const made = await bodyOf(response)
        const path = `/planets/${made.id}`
        const text = await readXml(path)
        const expected = withoutEmptyLists(withoutAdditions(made))

        const put = await sendXml('PUT', path, text)
        expect(withoutTime(await bodyOf(put))).toEqual(withoutTime(withoutEmptyLists(made)))
        expect(withoutTime(await bodyOf(await client.get(path)))).toEqual(withoutTime(withoutEmptyLists(made)))

        const copy = await bodyOf(await sendXml('POST', '/planets', text))
        expect(withoutAdditions(copy)).toEqual(expected)
        const again = decodeXml(await readXml(`/planets/${copy.id}`), Planet)
        expect(again.faults).toEqual([])
        expect(withoutAdditions(Planet.parse(again.value))).toEqual(expected)
      }),
      { numRuns: OVER_HTTP },
    )
    expect(taken).toBeGreaterThan(4)
  })

  it('is read from XML as it was written', () => {
    fc.assert(
      fc.property(planet.filter(isUsable), (sent) => {
        const value = PlanetInput.parse(throughJson(sent))
        const { value: read, faults } = decodeXml(encodeXml(value, PlanetInput), PlanetInput)
        expect(faults).toEqual([])
        expect(read).toEqual(withoutEmptyLists(value))
        expect(PlanetInput.parse(read)).toEqual(withoutEmptyLists(value))
      }),
      { numRuns: 1000 },
    )
  })
})

/** An element of a document, and the many ways to write it. */
interface Written {
  name: string
  children: Written[]
  text: string
  styles: number[]
}

const style = fc.infiniteStream(fc.nat({ max: 1000 })).map((stream) => [...stream.take(60)])
const { element } = fc.letrec<{ element: Written }>((tie) => ({
  element: fc.record({
    name: fc.constantFrom('a', 'b', 'planet', 'constructor', 'ns:a', 'é', '_.-', '__proto__'),
    children: fc.oneof({ depthSize: 'small' }, fc.constant<Written[]>([]), fc.array(tie('element'), { maxLength: 4 })),
    text: text(0, 60),
    styles: style,
  }),
}))

const GAPS = ['', ' ', '\n', '\t \r\n']
const COMMENTS = ['', '<!---->', '<!-- < & > -->', '<!-- <a> </a> "\' <![CDATA[ -->', '<!--<?x?><!DOCTYPE a>-->']
const ATTRIBUTES = [
  '',
  ' a="b"',
  ` a='"' b = ">"`,
  ` x:a='/>' y="]]>"`,
  ` c="<"`.replace('<', '&lt;'),
  '\n a="\n-->"\t',
]

/** Writes a document in a way that depends on its styles, and never changes its content. */
function write({ name, children, text: content, styles }: Written): string {
  const take = <Item>(items: readonly Item[]): Item => items[(styles.pop() ?? 0) % items.length] as Item
  const inner =
    children.length > 0 ? children.map((child) => take(GAPS) + take(COMMENTS) + write(child)) : [characters()]
  const tag = name + take(ATTRIBUTES) + take(GAPS)
  if (inner.join('') === '' && take([true, false])) return `<${tag}/>`
  return `<${tag}>${inner.join('')}${take(COMMENTS)}</${name}${take(GAPS)}>`

  function characters(): string {
    return Array.from(content, (character) => take(COMMENTS) + writeCharacter(character)).join('')
  }

  function writeCharacter(character: string): string {
    const codePoint = character.codePointAt(0) ?? 0
    const references = [
      `&#${codePoint};`,
      `&#x${codePoint.toString(16)};`,
      `&#x0${codePoint.toString(16).toUpperCase()};`,
    ]
    if (character === '\r') return take(references)
    const plain = { '<': '&lt;', '&': '&amp;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }[character] ?? character
    return take([plain, plain, plain, ...references, `<![CDATA[${character}]]>`])
  }
}

/** The content of a document without a schema: of elements with one name the first. */
function meaning({ children, text: content }: Written): unknown {
  if (children.length === 0) return content
  const values = new Map<string, unknown>()
  for (const child of children) {
    const name = child.name.replace(/^.*:/, '')
    if (!values.has(name)) values.set(name, meaning(child))
  }
  return Object.fromEntries(values)
}

it('a document has the same content however it is written', () => {
  const documents = element.filter((root) => !UNSERIALISABLE.test(JSON.stringify(root.text)) && isWritable(root))
  fc.assert(
    fc.property(documents, (root) => {
      const expected = meaning(root)
      expect(decodeXml(write(structuredClone(root)), PlanetInput.shape.id).value).toEqual(expected)
    }),
    { numRuns: 700 },
  )
})

describe('the service can handle any input', () => {
  const pieces = fc.constantFrom(
    ...[
      '<',
      '>',
      '/',
      '<a>',
      '</a>',
      '<a/>',
      '<a ',
      ' b="c"',
      '"',
      "'",
      '=',
      '&',
      ';',
      '&amp;',
      '&#',
      '&#x0;',
      '<!',
      '<?',
    ],
    ...[
      '<!--',
      '-->',
      '--',
      '<![CDATA[',
      ']]>',
      '<!DOCTYPE a [',
      '<!ENTITY',
      '<?xml version="1.0"?>',
      '<planet>',
      '</planet>',
    ],
    ...[
      ' ',
      '\r\n',
      'x',
      '1',
      ':',
      'xmlns',
      'xsi:nil="true"',
      '\u00a0',
      '\u0000',
      '\ufeff',
      '🪐',
      '__proto__',
      'constructor',
    ],
  )

  it('any text is accepted or rejected', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: pieces, maxLength: 30 }))
    fc.assert(fc.property(texts, readOrRefuse), { numRuns: 10_000 })
  })

  it('any bytes in a body are accepted or rejected', async () => {
    const bodies = fc.oneof(
      fc.uint8Array(),
      fc.string({ unit: pieces, maxLength: 30 }).map((value) => new TextEncoder().encode(value)),
    )
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        expect((await sendXml('POST', '/planets', new Uint8Array(body))).status).toBe(400)
      }),
      { numRuns: OVER_HTTP },
    )
  })
})

describe('a document with random changes', () => {
  const PLANET = {
    name: 'Tëst & <co>',
    description: null,
    physicalProperties: { mass: 1, 'surface pressure': 2, temperature: { min: -1 } },
    atmosphere: [{ compound: 'CO2', percentage: 95.3 }],
    satellites: [{ name: 'a', orbit: { distance: 1 } }],
    tags: ['x', 'y'],
  }
  const original = encodeXml(PLANET, PlanetInput)
  const bytes = new TextEncoder().encode(original)
  const change = fc.record({
    start: fc.nat({ max: bytes.length }),
    removed: fc.oneof(fc.constant(0), fc.nat({ max: 3 }), fc.nat({ max: 100 })),
    inserted: fc.oneof(
      fc.constant(new Uint8Array()),
      fc.uint8Array({ maxLength: 2 }),
      // Some other part of the document.
      fc.tuple(fc.nat({ max: bytes.length }), fc.nat({ max: 60 })).map(([at, length]) => bytes.slice(at, at + length)),
    ),
  })

  it('is accepted or rejected', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => readOrRefuse(decode(apply(changes)))),
      {
        numRuns: 10_000,
      },
    )
  })

  it('creates a planet that is the same in both formats, or is rejected', async () => {
    await fc.assert(
      fc.asyncProperty(change, async (one) => {
        const response = await sendXml('POST', '/planets', apply([one]))
        expect([201, 400]).toContain(response.status)
        if (response.status !== 201) return
        const made = await bodyOf(response)
        expect(Planet.parse(decodeXml(await readXml(`/planets/${made.id}`), Planet).value)).toEqual(made)
      }),
      { numRuns: OVER_HTTP },
    )
  })

  function apply(changes: { start: number; removed: number; inserted: Uint8Array }[]): Uint8Array<ArrayBuffer> {
    return changes.reduce<Uint8Array<ArrayBuffer>>(
      (before, { start, removed, inserted }) =>
        new Uint8Array([...before.slice(0, start), ...inserted, ...before.slice(start + removed)]),
      new Uint8Array(bytes),
    )
  }

  function decode(changed: Uint8Array): string {
    return new TextDecoder().decode(changed)
  }
})

function readOrRefuse(value: string): void {
  try {
    decodeXml(value, PlanetInput)
  } catch {
    refusalOf(() => decodeXml(value, PlanetInput))
  }
}

async function readXml(path: string): Promise<string> {
  const response = await client.get(path, { Accept: 'application/xml' })
  expect(response.status).toBe(200)
  return await response.text()
}

function sendXml(method: string, path: string, body: BodyInit): Promise<Response> {
  return client.send(path, { method, body, headers: { 'Content-Type': 'application/xml', ...authorization(account) } })
}

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** Whether every format can carry a value. */
function isUsable(value: unknown): boolean {
  if (typeof value === 'string') return !UNSERIALISABLE.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(
    ([name, member]) => !RESERVED.includes(name) && !UNSERIALISABLE.test(name) && isUsable(member),
  )
}

function isWritable({ text: content, children }: Written): boolean {
  return !UNSERIALISABLE.test(content) && children.every(isWritable)
}

function withoutTime({ lastUpdated: _, ...rest }: { lastUpdated?: unknown }): object {
  return rest
}
