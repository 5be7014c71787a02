import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ReceiverAuth, ReceiverScheme } from '../../../src/schemas/receiver-auth.ts'
import { WebhookInput, WebhookPatch } from '../../../src/schemas/webhook.ts'
import { decodeXml } from '../../../src/xml/decode.ts'
import { encodeXml } from '../../../src/xml/encode.ts'
import { shapeOf } from '../../../src/xml/shape.ts'
import { eachRow } from '../../support/each-row.ts'

// Choices between objects, members with one value, and members with a default: in XML as in JSON.

const CLIENT = { clientId: 'galaxy', clientSecret: 's3cr3t' }

/** One of each scheme, with texts that would get another type if it were guessed. */
const AUTHS: [string, ReceiverAuth][] = [
  ['basicAuth', { scheme: 'basicAuth', username: '007', password: ' true ' }],
  ['bearerAuth', { scheme: 'bearerAuth', token: '1e3' }],
  ['apiKeyHeader', { scheme: 'apiKeyHeader', name: 'X-Key', key: '0123' }],
  ['apiKeyQuery', { scheme: 'apiKeyQuery', name: '1', key: '<&>"\'' }],
  ['apiKeyCookie', { scheme: 'apiKeyCookie', name: 'a', key: '12.50' }],
  ['oAuth2', { scheme: 'oAuth2', tokenUrl: 'https://id.example/token?a=1&b=2', ...CLIENT, scope: '1 2' }],
  ['oAuth2 without a scope', { scheme: 'oAuth2', tokenUrl: 'https://id.example/token', ...CLIENT }],
  ['openIdConnect', { scheme: 'openIdConnect', issuer: 'https://id.example', ...CLIENT }],
]

const webhookWith = (auth: string) =>
  `<webhook><url>https://receiver.example/</url><events>newPlanet</events>${auth}</webhook>`

/** The result of the schema for a document that XML itself accepts. */
function read<Schema extends z.ZodType>(xml: string, schema: Schema) {
  const { value, faults } = decodeXml(xml, schema)
  expect(faults).toEqual([])
  return schema.safeParse(value)
}

describe('credentials for a receiver', () => {
  it('are tested here in every scheme', () => {
    expect(new Set(AUTHS.map(([, { scheme }]) => scheme))).toEqual(new Set(ReceiverScheme.options))
  })

  it('are the same in XML as in JSON', () =>
    eachRow(AUTHS, ([, auth]) => {
      const webhook = { url: 'https://receiver.example/', events: ['newPlanet'], signing: 'v1' as const, auth }
      expect(read(encodeXml(webhook, WebhookInput), WebhookInput).data).toEqual(webhook)
      const elements = Object.entries(auth).map(
        ([name, value]) => `<${name}>${String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`,
      )
      // In any order: only one member tells which choice it is.
      const backwards = webhookWith(`<auth>${elements.reverse().join('')}</auth>`)
      expect(read(backwards, WebhookInput).data).toEqual(webhook)
    }))

  it('keep any text that they can have', () => {
    const secret = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(secret, secret, (username, password) => {
        const auth = { scheme: 'basicAuth' as const, username, password }
        fc.pre(ReceiverAuth.safeParse(auth).success)
        const webhook = { url: 'https://receiver.example/', events: ['newPlanet'], signing: 'v1' as const, auth }
        expect(read(encodeXml(webhook, WebhookInput), WebhookInput).data).toEqual(webhook)
      }),
    )
  })

  it('have their usual name by default', () =>
    eachRow(
      [
        ['apiKeyHeader', 'X-API-Key'],
        ['apiKeyQuery', 'api_key'],
        ['apiKeyCookie', 'api_key'],
      ],
      ([scheme, name]) => {
        const result = read(webhookWith(`<auth><scheme>${scheme}</scheme><key>k</key></auth>`), WebhookInput)
        expect(result.data?.auth).toEqual({ scheme, name, key: 'k' })
      },
    ))

  it('are rejected if they fit no scheme', () =>
    eachRow(
      [
        ['without a scheme', '<auth><token>t</token></auth>', ['auth', 'scheme']],
        ['of an unknown scheme', '<auth><scheme>magic</scheme><token>t</token></auth>', ['auth', 'scheme']],
        ['of another scheme', '<auth><scheme>bearerAuth</scheme><key>k</key></auth>', ['auth', 'token']],
        ['with a member too many', '<auth><scheme>bearerAuth</scheme><token>t</token><key>k</key></auth>', ['auth']],
        ['with elements in a text', '<auth><scheme>bearerAuth</scheme><token><a/></token></auth>', ['auth', 'token']],
        ['with empty elements', '<auth><scheme>bearerAuth</scheme><token/></auth>', ['auth', 'token']],
        ['that are nil', '<auth xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>', ['auth']],
      ],
      ([, auth, path]) => {
        const result = read(webhookWith(auth), WebhookInput)
        expect(result.error?.issues.map((issue) => issue.path)).toContainEqual(path)
      },
    ))

  it('cannot repeat a member', () =>
    eachRow(
      [
        ['scheme', '<auth><scheme>bearerAuth</scheme><scheme>basicAuth</scheme><token>t</token></auth>'],
        ['token', '<auth><scheme>bearerAuth</scheme><token>t</token><token>u</token></auth>'],
      ],
      ([name, auth]) => {
        const { faults } = decodeXml(webhookWith(auth), WebhookInput)
        expect(faults).toEqual([{ pointer: `/auth/${name}`, detail: 'must appear only once' }])
      },
    ))

  it('are rejected if they are a text', () => {
    const { faults } = decodeXml(webhookWith('<auth>bearerAuth</auth>'), WebhookInput)
    expect(faults).toEqual([{ pointer: '/auth', detail: 'has text in addition to its elements' }])
  })

  it('can be removed with nil', () => {
    const nil = '<auth xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>'
    expect(read(`<webhook>${nil}</webhook>`, WebhookPatch).data).toEqual({ auth: null })
    expect(read('<webhook/>', WebhookPatch).data).toEqual({})
  })
})

describe('a choice between objects', () => {
  const Choice = z
    .union([
      z.object({ kind: z.literal('a'), size: z.number(), list: z.array(z.string()) }),
      z.object({ kind: z.literal('b'), good: z.boolean(), name: z.string().default('none') }),
    ])
    .meta({ xml: { name: 'choice' } })

  it('has the types of the matching one', () =>
    eachRow(
      [
        ['<kind>a</kind><size>7</size><list>1</list>', { kind: 'a', size: 7, list: ['1'] }],
        ['<list>1</list><list>2</list><size>1e1</size><kind>a</kind>', { kind: 'a', size: 10, list: ['1', '2'] }],
        ['<good>true</good><kind>b</kind><name>7</name>', { kind: 'b', good: true, name: '7' }],
        ['<kind>b</kind><good>0</good>', { kind: 'b', good: false, name: 'none' }],
      ],
      ([content, expected]) => {
        expect(read(`<choice>${content}</choice>`, Choice).data).toEqual(expected)
      },
    ))

  it('is written as the matching one', () => {
    const document = encodeXml({ kind: 'a', size: 7, list: ['x', 'y'] }, Choice)
    expect(document).toContain('><kind>a</kind><size>7</size><list>x</list><list>y</list></choice>')
  })

  it('keeps unknown members, for the schema to reject', () => {
    const { value } = decodeXml('<choice><kind>a</kind><other>7</other></choice>', Choice)
    expect(value).toEqual({ kind: 'a', other: '7' })
  })

  it('can contain choices, and be in a list', () => {
    const schema = z.object({ items: z.array(z.union([Choice, z.object({ depth: z.number() })])) })
    const xml = '<x><items><kind>b</kind><good>1</good></items><items><depth>2</depth></items></x>'
    expect(read(xml, schema).data).toEqual({ items: [{ kind: 'b', good: true, name: 'none' }, { depth: 2 }] })
  })

  it('or a text is read as what it is', () =>
    eachRow(
      [
        ['<choice>a text</choice>', 'a text'],
        ['<choice/>', ''],
        ['<choice><size>7</size></choice>', { size: 7 }],
      ],
      ([xml, expected]) => {
        const schema = z.union([z.object({ size: z.number() }), z.string()])
        expect(read(xml, schema).data).toEqual(expected)
        expect(read(encodeXml({ member: expected }, Choice), z.object({ member: schema })).data).toEqual({
          member: expected,
        })
      },
    ))

  it('between texts is a text', () => {
    expect(read('<choice>b</choice>', z.union([z.literal('a'), z.enum(['b'])])).data).toBe('b')
  })

  it('with anything else is rejected when the service starts, not when somebody calls', () => {
    for (const schema of [z.union([z.string(), z.number()]), z.union([z.object({}), z.array(z.object({}))])]) {
      expect(() => shapeOf(schema)).toThrow('the XML codec only supports unions of objects and texts')
    }
  })
})

describe('a member with a default', () => {
  const Defaults = z.object({
    number: z.number().default(7),
    truth: z.boolean().default(true),
    text: z.string().default('none'),
    list: z.array(z.string()).default(['none']),
  })

  it('is read by its type if it is present', () => {
    const xml = '<x><number>1</number><truth>false</truth><text>1</text><list>1</list></x>'
    expect(read(xml, Defaults).data).toEqual({ number: 1, truth: false, text: '1', list: ['1'] })
  })

  it('has its default if it is absent', () => {
    expect(read('<x/>', Defaults).data).toEqual({ number: 7, truth: true, text: 'none', list: ['none'] })
  })
})
