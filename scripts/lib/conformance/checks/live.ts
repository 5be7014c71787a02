import type { Members } from '../answer.ts'
import { type Check, checks, type Row, type Setting } from '../check.ts'
import { expectProblem, isSame } from '../expectations.ts'
import { Failure } from '../failure.ts'
import { askForSocket, openSocket, type Socket } from '../socket.ts'
import { openStream, type StreamType } from '../stream.ts'
import type { World } from '../world.ts'

/** Opens a socket until the work is done. */
async function listen(
  world: World,
  path: string,
  options: Parameters<typeof openSocket>[2],
  work: (socket: Socket) => Promise<void>,
) {
  const socket = await openSocket(world, path, options)
  try {
    await work(socket)
  } finally {
    socket.close()
  }
}

const isAcknowledgement = ({ status }: Members) => status === 'subscribed'

/** What happens to a planet arrives on its channel. */
async function checkPlanet({ world }: Setting, version: string) {
  const { id } = await world.makePlanet()
  await listen(world, `/ws/${version}/planets/${id}/events`, {}, async (socket) => {
    await socket.expectFrame('an acknowledgement', isAcknowledgement)
    const answer = await world.send('PUT', `/planets/${id}`, {
      as: await world.credential(),
      json: { name: 'Caladan' },
    })
    const requestId = answer.expectStatus(200).expectHeader('X-Request-ID')
    const event = await socket.expectFrame('planet.updated', ({ eventType }) => eventType === 'planet.updated')
    const isRight = event.planet?.name === 'Caladan' && event.metadata?.requestId === requestId
    if (!isRight) throw new Failure(`planet.updated with the name and ${requestId}`, JSON.stringify(event))
  })
}

async function checkBodies({ world }: Setting) {
  await listen(world, '/ws/v1/celestial-bodies/events', {}, async (socket) => {
    await socket.expectFrame('an acknowledgement', isAcknowledgement)
    const { id } = await world.makePlanet()
    const isMeant = ({ celestialBody }: Members) => celestialBody?.planet?.id === id
    const { eventType } = await socket.expectFrame('celestial_body.created', isMeant)
    if (eventType !== 'celestial_body.created') throw new Failure('celestial_body.created', eventType)
  })
}

/** The channel of a user has the user's sign-ins, and nobody else may subscribe to it. */
async function checkUser({ world }: Setting) {
  const { id, email, password, credential: as } = await world.stranger()
  const path = `/ws/v1/users/${id}/events`
  expectProblem(await askForSocket(world, path), 401)
  expectProblem(await askForSocket(world, path, { as: await world.credential() }), 403)
  await listen(world, path, { as }, async (socket) => {
    await socket.expectFrame('an acknowledgement', isAcknowledgement)
    ;(await world.post('/auth/token', { json: { email, password } })).expectStatus(201)
    await socket.expectFrame('user.authenticated', ({ eventType }) => eventType === 'user.authenticated')
  })
}

async function checkSystem({ world }: Setting) {
  await listen(world, '/ws/v1/system/events', {}, async (socket) => {
    await socket.expectFrame('an acknowledgement', isAcknowledgement)
    socket.send('ping')
    await socket.expectText('pong')
  })
}

/** The socket responds to each request: with the planet, or with a problem if there is no such planet. */
async function checkRequest({ world }: Setting) {
  const planet = await world.makePlanet()
  await listen(world, `/ws/v1/planets/${planet.id}/get`, {}, async (socket) => {
    socket.send(JSON.stringify({ requestId: 'first', planetId: planet.id }))
    const found = await socket.expectFrame('the planet', ({ id }) => id === planet.id)
    if (found.name !== planet.name) throw new Failure(`the planet ${planet.name}`, JSON.stringify(found))
    socket.send(JSON.stringify({ requestId: 'second', planetId: 999_999_999 }))
    const problem = await socket.expectFrame('a problem', ({ status }) => status === 404)
    if (problem.requestId !== 'second') throw new Failure('a problem with requestId second', JSON.stringify(problem))
  })
}

async function checkEnvelope({ world }: Setting) {
  const { id } = await world.makePlanet()
  const options = { protocols: ['galaxy.envelope.v1'] }
  await listen(world, `/ws/v1/planets/${id}/events`, options, async (socket) => {
    if (socket.protocol !== 'galaxy.envelope.v1') throw new Failure('galaxy.envelope.v1', socket.protocol || 'none')
    await socket.expectFrame(
      'an acknowledgement in an envelope',
      ({ headers, payload }) => headers && isAcknowledgement(payload),
    )
  })
}

/** A client that sends the id of the last event that it has received gets the events after it. */
async function checkResume({ world }: Setting) {
  const { id } = await world.makePlanet()
  const path = `/ws/v1/planets/${id}/events`
  let lastEventId = ''
  await listen(world, `${path}?includeHistory=true`, {}, async (socket) => {
    const created = await socket.expectFrame('planet.created', ({ eventType }) => eventType === 'planet.created')
    lastEventId = created.eventId
  })
  const as = await world.credential()
  ;(await world.send('PUT', `/planets/${id}`, { as, json: { name: 'Caladan' } })).expectStatus(200)
  await listen(world, `${path}?lastEventId=${lastEventId}`, {}, async (socket) => {
    const isEvent = ({ eventId }: Members) => eventId !== undefined
    const { eventType } = await socket.expectFrame('the event after the last one', isEvent)
    if (eventType !== 'planet.updated') throw new Failure('planet.updated first', eventType)
  })
}

async function refuseSocket({ world }: Setting) {
  expectProblem(await askForSocket(world, '/ws/v1/no-such-channel'), 404)
  expectProblem(await askForSocket(world, '/ws/v1/system/events?eventTypes=planet.created'), 400)
  expectProblem(await world.get('/ws/v1/system/events'), 426)
}

const socketChecks = checks('WebSockets', [
  ['planets/{planetId}/events, v1', (setting) => checkPlanet(setting, 'v1')],
  ['planets/{planetId}/events, v2', (setting) => checkPlanet(setting, 'v2')],
  ['celestial-bodies/events', checkBodies],
  ['users/{userId}/events', checkUser],
  ['system/events', checkSystem],
  ['planets/{planetId}/get', checkRequest],
  ['subprotocol galaxy.envelope.v1', checkEnvelope],
  ['includeHistory and lastEventId', checkResume],
  ['refusals come before the upgrade', refuseSocket],
])

/** An item of a stream arrives in the format that was asked for. */
async function checkStream({ world }: Setting, type: StreamType) {
  const stream = await openStream(world, '/planets/events', type)
  try {
    const { id } = await world.makePlanet()
    const { event } = await stream.expectItem(`the new planet ${id}`, ({ planet }) => planet?.id === id)
    if (event !== 'created') throw new Failure('the event created', event)
  } finally {
    stream.close()
  }
}

async function checkStreamResume({ world }: Setting) {
  const { eventId } = await findCreated(world, (await world.makePlanet()).id)
  const { id } = await world.makePlanet()
  const stream = await openStream(world, '/planets/events', 'text/event-stream', { 'Last-Event-ID': eventId })
  try {
    await stream.expectItem(`the planet ${id}, which came after the last event`, ({ planet }) => planet?.id === id)
  } finally {
    stream.close()
  }
}

/** Finds the event of a new planet in the list of all events. */
async function findCreated(world: World, planetId: number): Promise<Members> {
  const isMeant = ({ eventType, planet }: Members) => eventType === 'planet.created' && planet?.id === planetId
  for (let path: string | null = '/events?limit=100'; path !== null; ) {
    const { data, meta }: Members = (await world.get(path)).expectStatus(200).json()
    const found = data.find(isMeant)
    if (found) return found
    path = meta.next === null ? null : new URL(meta.next, world.url).href
  }
  throw new Failure(`planet.created of ${planetId} in GET /events`, 'a list without it')
}

async function checkList({ world }: Setting) {
  const event = await findCreated(world, (await world.makePlanet()).id)
  const answer = (await world.get(`/events/${event.eventId}`)).expectStatus(200)
  answer.expect(isSame(answer.json(), event), JSON.stringify(event))
}

async function checkOnDemand({ world }: Setting) {
  const as = await world.credential()
  const answer = await world.post('/events', { as, json: { type: 'user.profile_updated' } })
  const { eventType, metadata } = answer.expectStatus(201).json()
  answer.expect(
    eventType === 'user.profile_updated' && metadata?.source === 'trigger',
    'the event with metadata.source trigger',
  )
  expectProblem(await world.post('/events', { json: { type: 'user.profile_updated' } }), 401)
}

const STREAM_TYPES: StreamType[] = [
  'text/event-stream',
  'application/jsonl',
  'application/x-ndjson',
  'application/json-seq',
]

const listChecks = checks('Events over HTTP', [
  ...STREAM_TYPES.map((type): Row => [type, (setting) => checkStream(setting, type)]),
  ['Last-Event-ID', checkStreamResume],
  ['GET /events and /events/{eventId}', checkList],
  ['POST /events', checkOnDemand],
])

export const liveChecks: Check[] = [...socketChecks, ...listChecks]
