import * as z from 'zod'
import { openSession } from '../../db/port.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { within } from '../../lib/within.ts'
import type { Part, Services } from '../../services.ts'
import { probeDatabase } from './queries.ts'

/** How long the check of a part may take. A part that takes longer counts as failing. */
const PART_MAX_MS = 2000

/** No image has this key, because the keys of images are UUIDs. */
const NO_IMAGE = 'readiness'

/** The purpose for which the check encrypts a text. No stored secret has this purpose. */
const PURPOSE = 'readiness'

/** A kind of token that only this check issues, and that no endpoint accepts. */
const TOKEN = { type: 'readiness', lifetimeSeconds: 1, claims: z.object({}) }
const PARTIES = { issuer: 'readiness', audience: 'readiness' }

const CHECKS: Readonly<Record<Part, (services: Services) => Promise<unknown>>> = {
  database: ({ database }) => probeDatabase(openSession({ database, hub: undefined }, 'first-primary').db),
  images: ({ bucket }) => bucket.head(NO_IMAGE),
  // Only the binding is checked. A test message would cost money and would be handled like any other message. If the
  // queue refuses messages, each failure is logged as `queue-failed` (changes/enqueue.ts).
  queue: async ({ callbackQueue }) => requireBinding(typeof callbackQueue?.sendBatch === 'function'),
  secrets: async ({ vault, tokens, now }) => {
    await vault.open(await vault.seal('', PURPOSE), PURPOSE)
    await tokens.sign(TOKEN, {}, PARTIES, now())
  },
}

/** Checks everything that the service needs. @returns The parts that do not work. The log says why */
export async function findFailingParts(services: Services): Promise<Part[]> {
  const parts = Object.keys(CHECKS) as Part[]
  const results = await Promise.all(parts.map((part) => doesPartWork(part, services)))
  return parts.filter((_, index) => !results[index])
}

/** A failure is logged. */
async function doesPartWork(part: Part, services: Services): Promise<boolean> {
  try {
    await within(PART_MAX_MS, CHECKS[part](services), services)
    return true
  } catch (error) {
    console.error(JSON.stringify({ event: 'part-failed', part, error: rootCause(error).message }))
    return false
  }
}

function requireBinding(isBound: boolean): void {
  if (!isBound) throw new Error('the binding is missing')
}
