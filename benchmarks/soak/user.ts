import { setTimeout as sleep } from 'node:timers/promises'
import { makePicture } from '../../test/support/pictures.ts'
import { json } from '../measure.ts'
import { PLANET } from '../performance/world.ts'
import type { Ledger } from './ledger.ts'

// A user of the soak: creates, reads, changes and explodes planets, uploads pictures, and makes universes.

/** Where users work, and where what they are promised is noted. */
export interface Workplace {
  url: string
  /** The URL of the receiver of callbacks. */
  receiver: string
  ledger: Ledger
  pace: Pace
}

/** How fast all users work. It can change while they work. */
export interface Pace {
  /** How long a user waits after each response. */
  pauseMs: number
}

const START_INTERVAL_MS = 10
const PICTURE_BYTES = 20_000
/** A user makes a universe after every so many planets. */
const PLANETS_PER_UNIVERSE = 20

/** Works until the time is over: one request after the other, with a pause after each. */
export async function work(number: number, workplace: Workplace, isOver: () => boolean): Promise<void> {
  // Not all users begin at the same time.
  await sleep(number * START_INTERVAL_MS)
  const user = await signUp(number, workplace)
  // Not all users do the same at the same time.
  for (let turn = number; !isOver(); turn++) {
    await live(`user-${number}-planet-${turn}`, user, turn)
    if (turn % PLANETS_PER_UNIVERSE === 0) await makeAndEndUniverse(user)
  }
}

interface User {
  workplace: Workplace
  /** Sends a request, and pauses. @returns The response, if it has the expected status. Otherwise this is a fault */
  send(status: number, path: string, init?: RequestInit): Promise<Response | undefined>
}

async function signUp(number: number, workplace: Workplace): Promise<User> {
  const account = json({ email: `user${number}@galaxy.test`, password: 'i-love-planets' })
  const stranger = userOf(workplace, workplace.url, undefined)
  await stranger.send(201, '/user/signup', account)
  const response = await stranger.send(201, '/auth/token', account)
  if (!response) throw new Error(`user ${number} could not sign in: ${workplace.ledger.faults.at(-1)}`)
  const { token } = (await response.json()) as { token: string }
  return userOf(workplace, workplace.url, token)
}

function userOf(workplace: Workplace, baseUrl: string, token: string | undefined): User {
  const { ledger, pace } = workplace
  return {
    workplace,
    async send(status, path, init = {}) {
      const headers = {
        ...(init.headers as Record<string, string>),
        ...(token && { Authorization: `Bearer ${token}` }),
      }
      const title = `${init.method ?? 'GET'} ${path}`
      ledger.requests++
      const response = await fetch(baseUrl + path, { ...init, headers }).catch(({ cause }) => {
        ledger.faults.push(`${title}: ${cause}`)
      })
      if (response && response.status !== status)
        ledger.faults.push(`${title}: ${response.status} ${await response.text()}`)
      await sleep(pace.pauseMs)
      return response?.status === status ? response : undefined
    },
  }
}

/** The life of a planet. A third of them get a picture, and half of them explode. */
async function live(name: string, { workplace, send }: User, turn: number): Promise<void> {
  const { ledger, receiver } = workplace
  const planet = { ...PLANET, name, successCallbackUrl: `${receiver}/${name}` }
  const created = await send(201, '/planets', json(planet))
  if (!created) return
  const { id } = (await created.json()) as { id: number }
  ledger.promise(name, id)
  await read(await send(200, `/planets/${id}`))
  await read(await send(200, `/planets?limit=10&offset=${turn % 5000}`))
  await read(await send(200, `/planets/${id}`, { ...json({ ...planet, description: 'Dune' }), method: 'PUT' }))
  if (turn % 3 === 0) await upload(name, id, { workplace, send })
  if (turn % 2 !== 0) return
  ledger.expectEnd(name)
  await read(await send(200, `/planets/${id}/explode`, { method: 'POST' }))
}

async function upload(name: string, id: number, { workplace, send }: User): Promise<void> {
  const body = new FormData()
  body.set('image', new Blob([makePicture('image/png', PICTURE_BYTES)]), 'arrakis.png')
  const response = await send(200, `/planets/${id}/image`, { method: 'POST', body })
  const uploaded = (await response?.json()) as { imageUrl: string } | undefined
  if (uploaded) workplace.ledger.expectImage(name, uploaded.imageUrl)
}

async function makeAndEndUniverse({ workplace, send }: User): Promise<void> {
  const made = await send(201, '/universes', json({ seed: 'catalogue' }))
  if (!made) return
  const { url, token } = (await made.json()) as { url: string; token: string }
  const owner = userOf(workplace, url, token)
  await read(await owner.send(201, '/planets', json(PLANET)))
  await read(await owner.send(200, '/planets/5403'))
  await owner.send(204, '/universe', { method: 'DELETE' })
  await read(await owner.send(410, '/planets/5403'))
  workplace.ledger.universes++
}

/** Reads a response to its end, so that its connection can be used again. */
async function read(response: Response | undefined): Promise<void> {
  await response?.arrayBuffer()
}
