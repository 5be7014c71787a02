import * as z from 'zod'
import { openSession } from '../../db/client.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { within } from '../../lib/within.ts'
import type { Part, Services } from '../../services.ts'
import { probeDatabase } from './queries.ts'

/** A part that takes longer counts as failing. */
const PART_MAX_MS = 2000

/** No image has this key, because the keys of images are UUIDs. */
const NO_IMAGE = 'readiness'

const PURPOSE = 'readiness'

/** A kind of token that only this check issues, and that no endpoint accepts. */
const TOKEN = { type: 'readiness', lifetimeSeconds: 1, claims: z.object({}) }
const PARTIES = { issuer: 'readiness', audience: 'readiness' }

/** How each part is tried. */
const TRIALS: Readonly<Record<Part, (services: Services) => Promise<unknown>>> = {
  database: ({ database }) => probeDatabase(openSession(database, 'first-primary').db),
  images: ({ bucket }) => bucket.head(NO_IMAGE),
  // The queue is not tried, because a message would cost money and would be handled. The log says if the queue accepts
  // no messages.
  queue: async ({ callbackQueue }) => requireBinding(typeof callbackQueue?.sendBatch === 'function'),
  secrets: async ({ vault, tokens, now }) => {
    await vault.open(await vault.seal('', PURPOSE), PURPOSE)
    await tokens.sign(TOKEN, {}, PARTIES, now())
  },
}

/** Tries everything that the service needs. @returns The parts that do not work. Why is in the log */
export async function findFailingParts(services: Services): Promise<Part[]> {
  const parts = Object.keys(TRIALS) as Part[]
  const works = await Promise.all(parts.map((part) => tryPart(part, services)))
  return parts.filter((_, index) => !works[index])
}

async function tryPart(part: Part, services: Services): Promise<boolean> {
  try {
    await within(PART_MAX_MS, TRIALS[part](services), services)
    return true
  } catch (error) {
    console.error(JSON.stringify({ event: 'part-failed', part, error: rootCause(error).message }))
    return false
  }
}

function requireBinding(isBound: boolean): void {
  if (!isBound) throw new Error('the binding is missing')
}
