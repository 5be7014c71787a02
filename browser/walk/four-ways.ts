import { EVENT_ID_HEADER } from '../../src/domain/webhook-signature.ts'
import type { Webhook } from '../../src/schemas/webhook.ts'
import { send } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
import type { ListPage } from '../lib/newest.ts'
import { headerIn, waitForCalls } from './inbox.ts'
import { listenOnSocket, openCreatedStream, STREAM_PATH, socketPathOf } from './listen.ts'
import { explain, type Run, userHeaders } from './run.ts'
import type { Arrival } from './state.ts'

const WEBHOOKS = '/webhooks'
/** The maximum length of the name of a planet, in characters. */
const NAME_MAX = 200
/** The end of the name of the second planet. */
const SECOND = ' II'

/**
 * Creates a planet, and receives its event in four ways.
 *
 * @throws CallFailed if the event does not arrive in one of them
 */
export async function receiveInFourWays(run: Run): Promise<readonly Arrival[]> {
  const webhookId = await subscribe(run)
  // Without it, the inbox would continue to get a call for every planet that anyone creates.
  const unsubscription = { method: 'DELETE', url: urlOf(`${WEBHOOKS}/${webhookId}`), headers: userHeaders() }
  try {
    const arrivals = await createAndReceive(run)
    await run.send(unsubscription, [204])
    return arrivals
  } catch (error) {
    // Not sent by `run`, which makes no more calls if the person has left the step. An error of this call is ignored,
    // because the error of the step matters more.
    send(unsubscription).catch(() => {})
    throw error
  }
}

/** Lets the inbox be called for every new planet. @returns The id of the subscription */
async function subscribe(run: Run): Promise<number> {
  const json = { url: run.facts.inboxUrl, events: ['newPlanet'] }
  const create = (...expected: number[]) => run.callAsUser({ method: 'POST', path: WEBHOOKS, json }, ...expected)
  const first = await create(201, 409)
  if (first.status === 201) return JSON.parse(first.text).id
  // An earlier attempt was interrupted, or the account has the maximum number of subscriptions.
  const list = await run.callAsUser({ method: 'GET', path: `${WEBHOOKS}?limit=100` }, 200)
  const { data }: ListPage<Webhook> = JSON.parse(list.text)
  const old = data.find(({ url }) => url === run.facts.inboxUrl)
  if (!old) throw explain(first)
  await run.callAsUser({ method: 'DELETE', path: `${WEBHOOKS}/${old.id}` }, 204)
  return JSON.parse((await create(201)).text).id
}

async function createAndReceive(run: Run): Promise<readonly Arrival[]> {
  const stream = await openCreatedStream(run.signal)
  try {
    const planetId = await createPlanet(run)
    const [calls, socketId, streamId] = await Promise.all([
      receiveCalls(run, planetId),
      listenOnSocket(planetId, run.signal),
      stream.idFor(planetId),
    ])
    return [
      ...calls,
      { way: `WebSocket ${socketPathOf(planetId)}`, place: 'the member eventId of the frame', id: socketId },
      { way: `Server-sent event of ${STREAM_PATH}`, place: 'the id of the event', id: streamId },
    ]
  } finally {
    stream.close()
  }
}

/** @returns The id of the new planet */
async function createPlanet(run: Run): Promise<number> {
  const name = run.inputs.name.slice(0, NAME_MAX - SECOND.length) + SECOND
  const json = { name, successCallbackUrl: run.facts.inboxUrl }
  const { text } = await run.callAsUser({ method: 'POST', path: '/planets', json }, 201)
  return JSON.parse(text).id
}

/** The calls of the inbox: of the planet's own URL, and of the subscription. */
async function receiveCalls(run: Run, planetId: number): Promise<Arrival[]> {
  const place = `the header ${EVENT_ID_HEADER}`
  const callOf = await waitForCalls(run, planetId, ['planetCreated', 'newPlanet'])
  return [
    { way: 'Callback planetCreated', place, id: headerIn(callOf('planetCreated'), EVENT_ID_HEADER) },
    { way: 'Webhook newPlanet', place, id: headerIn(callOf('newPlanet'), EVENT_ID_HEADER) },
  ]
}
