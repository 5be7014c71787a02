import type { Send } from '../../test/support/oauth.ts'
import type { Server } from './servers.ts'
import type { Recording } from './workers/recording.ts'
import { requestOf, type Work } from './works.ts'
import { createWorld, type World } from './world.ts'

/** What the floor needs to do the same work as Galaxy. */
export interface Recorded {
  world: World
  /** By the names of the works. */
  recordings: Record<string, Recording>
}

/** Does each work of the floor once at the recorder, which says what Galaxy did. */
export async function record({ url }: Pick<Server, 'url'>, works: readonly Work[]): Promise<Recorded> {
  const ask = async (path: string, init?: RequestInit): Promise<Recording> => {
    const response = await fetch(new URL(path, url), init)
    if (!response.ok) throw new Error(`${path} was not recorded: ${await response.text()}`)
    return (await response.json()) as Recording
  }
  const send: Send = async (path, init) => {
    const { body, status, headers } = await ask(path, init)
    return new Response(body, { status, headers })
  }
  const world = await createWorld(send)
  const recordings: Recorded['recordings'] = {}
  for (const work of works.filter(({ servers }) => servers.includes('floor'))) {
    const { path, ...init } = requestOf(work, world)
    const recording = await ask(path, init)
    if (recording.status !== work.status) throw new Error(`${work.name} was recorded with ${recording.status}`)
    recordings[work.name] = work.name === 'shippedPlanet' ? asConstant(recording) : recording
  }
  return { world, recordings }
}

/** A shipped planet never changes, so the least that a Worker can do is to send a constant. */
function asConstant(recording: Recording): Recording {
  return { ...recording, roundTrips: [] }
}
