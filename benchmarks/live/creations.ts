import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** When planets were answered with 201, in milliseconds of `performance.now()`, by their ids. */
export type Answered = Map<number, number>

/** Creates planets at a steady rate, whatever the responses take. @returns When each was answered */
export async function createPlanets(
  { url, token }: { url: string; token: string },
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Answered> {
  const answered: Answered = new Map()
  // Each connection is used in turn, so that the server does not close one that is about to be used.
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' })
  const creations: Promise<void>[] = []
  const failures: unknown[] = []
  const start = performance.now()
  for (let index = 0; index < perSecond * seconds; index++) {
    await sleep(Math.max(0, start + (index * 1000) / perSecond - performance.now()))
    const creation = createPlanet(new URL('/planets', url), { agent, token, answered })
    creations.push(creation.catch((error) => void failures.push(error)))
  }
  await Promise.all(creations)
  agent.destroy()
  if (failures.length > 0) throw new Error(`${failures.length} planets could not be created`, { cause: failures[0] })
  return answered
}

const CONNECTIONS = 20
const BODY = JSON.stringify({ name: 'Arrakis', type: 'terrestrial' })

function createPlanet(
  url: URL,
  { agent, token, answered }: { agent: Agent; token: string; answered: Answered },
): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
      const now = performance.now()
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('error', reject).on('end', () => {
        if (response.statusCode !== 201) return reject(new Error(`POST /planets: ${response.statusCode} ${text}`))
        answered.set(JSON.parse(text).id, now)
        resolve()
      })
    })
    outgoing.on('error', reject).end(BODY)
  })
}
