import publicDocument from '@scalar/galaxy/asyncapi/3.0.json' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import {
  EVENT_TYPES,
  type EventType,
  eventTypesOf,
  exampleEvent,
  LIVE_EVENTS,
} from '../../../src/schemas/live/catalogue.ts'
import { EVENT_QUERIES } from '../../../src/schemas/live/queries.ts'
import type { LiveEventSpec } from '../../../src/schemas/live/spec.ts'
import { eachRow } from '../../support/each-row.ts'
import { LiveConformance } from '../../support/frame-conformance.ts'
import { expectDocumentedFrame, expectDocumentedItem } from '../../support/live-conformance.ts'

const BASE_URL = 'https://api.example.org/u/galaxygalaxygalaxygalaxy'
const SPECS: readonly (readonly [EventType, LiveEventSpec])[] = EVENT_TYPES.map((type) => [type, LIVE_EVENTS[type]])

describe('the catalogue', () => {
  it('has each type of event of the public document on its channel', () => {
    const types = Object.values(publicDocument.components.schemas).flatMap((schema) =>
      'eventType' in schema.properties ? schema.properties.eventType.enum : [],
    )
    expect([...EVENT_TYPES].sort()).toEqual(types.sort())
    expect(eventTypesOf('systemEvents')).toEqual(
      Object.keys(LIVE_EVENTS).filter((type) => /^(sys|rate|sec|api)/.test(type)),
    )
  })

  it('shows what belongs to a user to that user alone', () => {
    const personal = SPECS.filter(([, { audience }]) => audience === 'user').map(([type]) => type)
    const wanted = EVENT_TYPES.filter((type) => /^(?:user\.|login\.attempt$|rate_limit\.exceeded$)/.test(type))
    expect(personal).toEqual(wanted)
  })

  it('lets everybody make events of their own account only', () => {
    const own = SPECS.filter(([, { isTriggerableByAnyone }]) => isTriggerableByAnyone).map(([type]) => type)
    expect(own).toEqual(EVENT_TYPES.filter((type) => /^(?:user\.|login\.attempt$)/.test(type)))
  })

  it('has a message with a name of its own for each type', () => {
    expect(new Set(SPECS.map(([, { message }]) => message)).size).toBe(20)
  })
})

/** Each type with its schema and its example. */
const EVENTS = SPECS.map(([type, spec]) => ({ type, spec, example: exampleEvent(type, BASE_URL) }))

describe('each type of event', () => {
  it('has an example with nothing that its schema does not declare', () =>
    eachRow(
      EVENTS,
      ({ type, spec, example }) => {
        expect(example.eventType).toBe(type)
        expect(example).toEqual(
          JSON.parse(JSON.stringify(spec.example.payload).replaceAll('https://galaxy.test', BASE_URL)),
        )
      },
      ({ type }) => type,
    ))

  it('has an example whose id is a UUID of version 7 of its time', () =>
    eachRow(
      EVENTS,
      ({ example }) => {
        expect(example.eventId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(parseInt(example.eventId.replace('-', '').slice(0, 12), 16)).toBe(Date.parse(example.timestamp))
      },
      ({ type }) => type,
    ))

  it('has an example that both documents describe, on its channel only', () =>
    eachRow(
      EVENTS,
      ({ spec, example }) => {
        expectDocumentedFrame(spec.channel, JSON.stringify(example))
        const other = spec.channel === 'userEvents' ? 'planetEvents' : 'userEvents'
        expect(() => expectDocumentedFrame(other, JSON.stringify(example))).toThrow('eventType')
      },
      ({ type }) => type,
    ))

  it('accepts the example of the public document, where that is valid itself', () =>
    eachRow(
      EVENTS,
      ({ type, spec, example }) => {
        const { examples } =
          publicDocument.components.messages[spec.message as keyof typeof publicDocument.components.messages]
        const { eventId, timestamp } = example
        const parsed = spec.payload.safeParse({ ...examples[0]?.payload, eventId, timestamp })
        const pointers = parsed.error?.issues.map(({ path }) => path.join('/')) ?? []
        expect(pointers).toEqual(type === 'celestial_body.created' ? ['discovery/method'] : [])
      },
      ({ type }) => type,
    ))

  it('refuses a payload without a member that the public document requires', () =>
    eachRow(
      EVENTS,
      ({ spec, example }) => {
        const { required } = publicDocument.components.schemas[`${spec.message}Event` as 'PlanetCreatedEvent']
        for (const name of required) {
          const { [name]: _, ...rest }: Record<string, unknown> = { ...example }
          expect(spec.payload.safeParse(rest).error?.issues.map(({ path }) => path.join('/'))).toEqual([name])
        }
      },
      ({ type }) => type,
    ))
})

describe('the queries', () => {
  const id = '019bc210-3240-7000-a168-2f0000000001'

  it('gets what it asks for', () =>
    eachRow(
      [
        [{}, { includeHistory: false }],
        [{ includeHistory: 'true', unknown: 'x' }, { includeHistory: true }],
        [
          { lastEventId: id, includeHistory: 'false' },
          { lastEventId: id, includeHistory: false },
        ],
        [{ eventTypes: 'discovery.new' }, { includeHistory: false, eventTypes: ['discovery.new'] }],
        [
          { eventTypes: ['discovery.new', 'celestial_body.created,orbital.collision'] },
          { includeHistory: false, eventTypes: ['discovery.new', 'celestial_body.created', 'orbital.collision'] },
        ],
        [
          { bodyType: 'comet', minHabitability: '0.5' },
          { includeHistory: false, bodyType: 'comet', minHabitability: 0.5 },
        ],
      ],
      ([query, value]) => {
        expect(EVENT_QUERIES.celestialBodyEvents.parse(query)).toEqual(value)
      },
    ))

  it('is refused if it asks for what does not exist', () =>
    eachRow(
      [
        [{ includeHistory: 'yes' }, 'includeHistory'],
        [{ includeHistory: ['true', 'true'] }, 'includeHistory'],
        [{ lastEventId: 'junk' }, 'lastEventId'],
        [{ lastEventId: [id, id] }, 'lastEventId'],
        [{ eventTypes: '' }, 'eventTypes'],
        [{ eventTypes: 'planet.created' }, 'eventTypes'],
        [{ bodyType: 'star' }, 'bodyType'],
        [{ minHabitability: '1.1' }, 'minHabitability'],
        [{ minHabitability: '-1' }, 'minHabitability'],
        [{ minHabitability: '1e-1' }, 'minHabitability'],
      ],
      ([query, name]) => {
        const { error } = EVENT_QUERIES.celestialBodyEvents.safeParse(query)
        expect(error?.issues.map(({ path }) => path[0])).toEqual([name])
      },
    ))
})

describe('the comparison of frames with the document', () => {
  const example = exampleEvent('planet.created', BASE_URL)
  const headers = { correlationId: crypto.randomUUID(), 'x-request-id': 'x' }
  const acknowledgement = { subscriptionId: 'x', status: 'subscribed', timestamp: '2026-01-15T14:30:00.000Z' }

  it('accepts acknowledgements, replies, problems and envelopes', () => {
    expectDocumentedFrame('planetEvents', JSON.stringify(acknowledgement))
    expectDocumentedFrame('planetEvents', JSON.stringify({ ...acknowledgement, gap: true }))
    expectDocumentedFrame('planetEvents', JSON.stringify({ headers, payload: example }), { envelope: true })
    expectDocumentedFrame('planetRequest', '{"id":4,"name":"Mars"}')
    const problem = {
      type: 'https://a.example/',
      title: 'a',
      status: 404,
      detail: 'b',
      instance: 'urn:c',
      requestId: 'd',
    }
    expectDocumentedFrame('planetRequest', JSON.stringify(problem))
  })

  it('finds every fault', () =>
    eachRow(
      [
        ['an undeclared member', { ...example, secret: 1 }],
        ['an undeclared member inside', { ...example, metadata: { email: 'a@b.example' } }],
        ['null', { ...example, metadata: null }],
        ['an id that is none', { ...example, eventId: 'evt_1' }],
        ['a time that is none', { ...example, timestamp: 'today' }],
        ['an event of another channel', exampleEvent('user.deleted', BASE_URL)],
        ['something else', {}],
      ],
      ([, payload]) => {
        expect(() => expectDocumentedFrame('planetEvents', JSON.stringify(payload))).toThrow()
      },
    ))

  it('finds an envelope where there should be none, and none where there should be one', () => {
    expect(() => expectDocumentedFrame('planetEvents', JSON.stringify({ headers, payload: example }))).toThrow()
    expect(() => expectDocumentedFrame('planetEvents', JSON.stringify(example), { envelope: true })).toThrow()
    const bare = JSON.stringify({ headers: {}, payload: example })
    expect(() => expectDocumentedFrame('planetEvents', bare, { envelope: true })).toThrow()
  })

  it('finds what no client receives there', () => {
    expect(() => expectDocumentedFrame('planetRequest', '{"requestId":"a","planetId":4}')).toThrow()
    expect(() => expectDocumentedFrame('nowhere', '{}')).toThrow()
  })

  it('is the same for a document that was served', () => {
    expect(new LiveConformance(publicDocument).findFaults('planetEvents', JSON.stringify(example))).toEqual([])
  })

  it('knows the items of streams', () => {
    const item = {
      id: example.eventId,
      event: 'created',
      planet: { id: 4, name: 'Mars' },
      note: { lang: 'en', value: 'Mars was created.' },
      occurredAt: example.timestamp,
    }
    expectDocumentedItem(item)
    expect(() => expectDocumentedItem({ ...item, planet: { name: 'Mars' } })).toThrow()
    expect(() => expectDocumentedItem({ ...item, more: 1 })).toThrow()
    expect(() => expectDocumentedItem({ ...item, note: undefined })).toThrow()
  })
})
