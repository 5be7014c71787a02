import { describe, expect, it } from 'vitest'
import { type Choice, explainEnd, pathOf } from '../../../browser/events/address.ts'
import { readArrival } from '../../../browser/events/arrivals.ts'
import { socketUrlOf } from '../../../browser/lib/socket-url.ts'
import { listMembers } from '../../../documents/events-page/members.ts'
import { exampleEvent } from '../../../src/schemas/live/catalogue.ts'

// The parts of the page about live events that need no browser.

const PLANET = {
  name: 'planetEvents',
  title: 'Planet events',
  address: 'planets/{planetId}/events',
  parameter: 'planetId' as const,
  types: ['planet.created', 'planet.updated'],
  hasBodyFilter: false,
}
const CHOICE: Choice = {
  channel: 'planetEvents',
  id: '1',
  types: [],
  includesHistory: false,
  lastEventId: '',
  bodyType: '',
  minHabitability: '',
}

describe('the address of a socket', () => {
  it.each([
    [{}, '/ws/v1/planets/1/events'],
    [{ id: 'a/b?c' }, '/ws/v1/planets/a%2Fb%3Fc/events'],
    [{ types: ['planet.updated', 'user.deleted'] }, '/ws/v1/planets/1/events?eventTypes=planet.updated'],
    [{ includesHistory: true }, '/ws/v1/planets/1/events?includeHistory=true'],
    [{ lastEventId: ' a&b ' }, '/ws/v1/planets/1/events?lastEventId=a%26b'],
    [{ bodyType: 'comet', minHabitability: '0.5' }, '/ws/v1/planets/1/events'],
  ])('has what was chosen: %j', (choice, path) => {
    expect(pathOf(PLANET, { ...CHOICE, ...choice })).toBe(path)
  })

  it('has no query on the channel of requests', () => {
    const requests = { ...PLANET, address: 'planets/{planetId}/get', types: [] }
    expect(pathOf(requests, { ...CHOICE, includesHistory: true })).toBe('/ws/v1/planets/1/get')
  })

  it('is as safe as the page', () => {
    expect(socketUrlOf('http://a.example/ws')).toBe('ws://a.example/ws')
    expect(socketUrlOf('https://a.example/http')).toBe('wss://a.example/http')
  })
})

it('each end of a socket has words, and a refusal has its own', () => {
  const words = [1000, 1006, 1009, 1012, 1013, 4401].map((code) => explainEnd(code, true))
  expect(new Set(words).size).toBe(words.length)
  expect(explainEnd(1006, false)).toMatch(/refused/)
})

describe('what has arrived', () => {
  const read = (text: string) => readArrival(text, 1, new Date(0))

  it.each([
    [exampleEvent('planet.created', 'https://a.example'), 'planet.created', 'Mars'],
    [exampleEvent('planet.deleted', 'https://a.example'), 'planet.deleted', 'Test Planet'],
    [exampleEvent('celestial_body.created', 'https://a.example'), 'celestial_body.created', 'Asteroid X-2024'],
    [exampleEvent('user.deleted', 'https://a.example'), 'user.deleted', 'Deleted User'],
    [exampleEvent('security.alert', 'https://a.example'), 'security.alert', ''],
    [{ subscriptionId: 'a', status: 'subscribed' }, 'Subscribed', ''],
    [{ subscriptionId: 'a', status: 'subscribed', gap: true }, 'Subscribed, with a gap', ''],
    [{ title: 'Not Found', status: 404, detail: 'There is none.' }, 'Problem', 'There is none.'],
    [{ id: 4, name: 'Mars' }, 'Planet', 'Mars'],
  ])('%j has a title and a subject', (frame, title, subject) => {
    expect(read(JSON.stringify(frame))).toMatchObject({ title, subject })
  })

  it.each(['', 'pong', 'null', '1', '[]', '{"planet":null}', '{"eventType":1}', '{"planet":{"name":{}}}'])(
    'may be anything: %s',
    (text) => {
      expect(read(text)).toMatchObject({ title: 'Frame', subject: '', text })
    },
  )
})

it('the members of a schema are listed with those inside it', () => {
  const schema = {
    required: ['objects'],
    properties: {
      objects: {
        type: 'array',
        description: 'Two',
        items: { type: 'object', properties: { kind: { type: 'string', enum: ['a', 'b'] } } },
      },
      planet: { $ref: '#/components/schemas/Planet' },
      at: { type: 'string', format: 'date-time' },
      value: {},
    },
  }
  const common = { isRequired: false, shape: undefined, description: '' }
  expect(listMembers(schema)).toEqual([
    { ...common, path: 'objects', isRequired: true, type: 'list of object', description: 'Two' },
    { ...common, path: 'objects[].kind', type: 'a, b' },
    { ...common, path: 'planet', type: 'Planet', shape: 'Planet' },
    { ...common, path: 'at', type: 'text (date-time)' },
    { ...common, path: 'value', type: 'anything' },
  ])
})
