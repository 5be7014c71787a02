import { describe, expect, it } from 'vitest'
import { describeEvents } from '../../../documents/asyncapi/document.ts'
import type { AsyncDocument } from '../../../documents/asyncapi/types.ts'
import { EXAMPLE_ORIGIN } from '../../../src/domain/example-origin.ts'
import { eventDocumentAt } from '../../../src/features/documents/event-servers.ts'
import { CHANNELS } from '../../../src/schemas/live/channels.ts'
import { partsOf, plain, repeated } from '../../support/document-rules.ts'
import { LiveConformance } from '../../support/frame-conformance.ts'

const DOCUMENT: AsyncDocument = JSON.parse(eventDocumentAt(JSON.stringify(describeEvents('published')), EXAMPLE_ORIGIN))
const MESSAGES = Object.entries(DOCUMENT.components.messages)

describe('the AsyncAPI document', () => {
  it('has no dead reference and no unused component', () => {
    const references = new Set([...JSON.stringify(DOCUMENT).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, name]) => name))
    const found = [...references].map((reference = '') =>
      reference.split('/').reduce<unknown>((node, step) => Object(node)[step], DOCUMENT),
    )
    expect(found).not.toContain(undefined)
    const components = Object.entries(DOCUMENT.components).flatMap(([kind, members]) =>
      Object.keys(members).map((name) => `components/${kind}/${name}`),
    )
    expect(components.filter((name) => !references.has(name))).toEqual([])
  })

  it('has no place that is not filled in, and no name from inside', () => {
    const text = JSON.stringify(DOCUMENT)
    expect(text).not.toMatch(/\{(?:host|basePath|protocol)\}/)
    expect(text).not.toMatch(/schemas\/Live[A-Z]|"Live[A-Z]\w*":/)
  })
})

describe('code generators', () => {
  const schemas = Object.entries(DOCUMENT.components.schemas).flatMap(([name, schema]) => partsOf(name, schema))

  it('find names that differ by more than case and signs, except the public ones of a channel and its message', () => {
    const { schemas: named, messages, parameters, securitySchemes } = DOCUMENT.components
    const kinds = [named, messages, parameters, securitySchemes, DOCUMENT.channels, DOCUMENT.operations]
    expect(repeated(kinds.flatMap((kind) => Object.keys(kind)).map(plain))).toEqual(['planetresponse'])
  })

  it('find constants and enums of texts only', () => {
    for (const { place, schema } of schemas) {
      const values = [schema.const, schema.enum].flat().filter((value) => value !== undefined)
      expect([place, values]).toEqual([place, values.map(() => expect.any(String))])
    }
  })

  it('find no union without a name, no default of which nothing is left, and nothing that is refused', () => {
    for (const { place, schema } of schemas) {
      const { oneOf, anyOf, not, default: value } = schema
      expect([place, oneOf, anyOf, not, value]).toEqual([place, undefined, undefined, undefined, undefined])
    }
  })

  it('find the size of each number', () => {
    const numbers = schemas.filter(({ schema }) => /number|integer/.test(String(schema.type)))
    expect(numbers).not.toEqual([])
    for (const { place, schema } of numbers) {
      const isSmall = typeof schema.maximum === 'number' && schema.maximum < 2 ** 31
      const format = schema.type === 'number' ? 'double' : isSmall ? undefined : 'int64'
      expect([place, schema.format]).toEqual([place, format])
    }
  })

  it('find open schemas: a later version can send more, and unknown members of a request are ignored', () => {
    const closed = schemas.filter(({ schema }) => schema.additionalProperties === false)
    expect(closed).toEqual([])
    expect(JSON.stringify(describeEvents('complete'))).toContain('"additionalProperties":false')
  })
})

describe('the channels', () => {
  it('have the messages that clients receive there', () => {
    const keys = Object.entries(DOCUMENT.channels).map(([name, { messages }]) => [name, Object.keys(messages).length])
    expect(Object.fromEntries(keys)).toEqual({
      planetEvents: 7,
      userEvents: 5,
      systemEvents: 4,
      celestialBodyEvents: 4,
      subscriptionAck: 1,
      planetRequest: 1,
      planetResponse: 2,
    })
  })

  it.each(Object.keys(CHANNELS))('%s has parameters for what is between braces in its address', (name) => {
    const { address, parameters = {} } = DOCUMENT.channels[name] ?? { address: '' }
    expect(Object.keys(parameters)).toEqual([...address.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter))
  })

  it.each(['planetEvents', 'userEvents', 'systemEvents', 'celestialBodyEvents'])('%s has the queries', (name) => {
    const query = DOCUMENT.channels[name]?.bindings.ws.query
    const own = name === 'celestialBodyEvents' ? ['bodyType', 'minHabitability'] : []
    expect(Object.keys(Object(query?.properties)).sort()).toEqual(
      ['eventTypes', 'includeHistory', 'lastEventId', ...own].sort(),
    )
    expect(query).not.toHaveProperty('required')
  })
})

describe('the examples', () => {
  const conformance = new LiveConformance(describeEvents('complete'))

  it('are there for each of the 24 messages', () => {
    expect(MESSAGES.filter(([, { examples }]) => examples.length > 0)).toHaveLength(24)
  })

  it.each(MESSAGES)('of %s are valid', (_, message) => {
    expect(conformance.findExampleFaults({ ...message })).toEqual([])
  })
})
