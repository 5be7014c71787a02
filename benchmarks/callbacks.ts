import { type Client, forEachOf, signUp, until } from '../test/service/callbacks-client.ts'
import { bodyOf } from '../test/service/galaxy.ts'
import { hang, openReceiver } from '../test/service/receiver.ts'
import { type Finding, median } from './measure.ts'

const BURST = 500
const AT_ONCE = 25
const HANGING = 20

/** Receivers that never respond do not delay calls to others. */
export async function compareBesideHanging(url: string): Promise<Finding[]> {
  const client = (await signUp({ url }, 'caller@galaxy.test')).by(fetch)
  // Warms up the service, which has not made a call yet.
  await measureBurst(client)
  const alone = await measureBurst(client)
  const hanging = await Promise.all(Array.from({ length: HANGING }, () => openReceiver(hang)))
  await Promise.all(hanging.map((receiver) => create(client, receiver.url())))
  await until(
    () => hanging.every(({ arrivals }) => arrivals.length > 0),
    (areCalled) => areCalled,
  )
  const beside = await measureBurst(client)
  await Promise.all(hanging.map((receiver) => receiver.close()))
  console.log(
    `From 201 to the callback: ${Math.round(alone)} ms, with ${HANGING} receivers that hang ${Math.round(beside)} ms`,
  )
  return [
    {
      name: `a callback with ${HANGING} receivers that hang, compared with none`,
      ratio: beside / alone,
      atMost: 2,
    },
  ]
}

/** Creates planets in a burst. @returns The median wait from a 201 to the callback, in milliseconds */
async function measureBurst(client: Client): Promise<number> {
  const receiver = await openReceiver()
  const answeredAt = new Map<number, number>()
  await forEachOf([...Array(BURST).keys()], AT_ONCE, async () => {
    const id = await create(client, receiver.url())
    answeredAt.set(id, performance.now())
  })
  await until(
    () => receiver.arrivals.length,
    (length) => length >= BURST,
  )
  await receiver.close()
  // A callback may arrive before the client has read the response. Then there was no wait.
  const waits = receiver.arrivals.map(({ at, body }) =>
    Math.max(1, at - (answeredAt.get(JSON.parse(body.toString()).id) ?? Number.NaN)),
  )
  return median(waits)
}

async function create(client: Client, successCallbackUrl: string): Promise<number> {
  const response = await client.post('/planets', { name: 'Arrakis', successCallbackUrl })
  if (response.status !== 201) throw new Error(`POST /planets returned ${response.status}`)
  return (await bodyOf(response)).id
}
