import { violatedName } from '../db/constraints.ts'
import type { ReachedUniverseLimit } from '../domain/limits.ts'
import type { UniverseLimitName } from '../domain/universe.ts'
import type { StoredFigures } from './figures.ts'

/** A limit that a request would exceed, and the `detail` of the problem document. */
export interface ExplainedUniverseLimit extends ReachedUniverseLimit {
  detail: string
}

interface LimitWords {
  limit: UniverseLimitName
  explain: (used: number, allowed: number) => string
}

/** The words for a limit that is a maximum number of something. */
const atMost = (limit: UniverseLimitName, what: string): LimitWords => ({
  limit,
  explain: (used, allowed) =>
    `A universe can have at most ${allowed} ${what}. This one has ${used}, and this request would exceed the limit.`,
})

/** Registry: the limits by the names in the errors of the database. `bodies` count towards the limit of planets. */
const LIMITS: Readonly<Record<UniverseLimitName | 'bodies', LimitWords>> = {
  planets: atMost('planets', 'planets'),
  bodies: atMost('planets', 'planets and other celestial bodies that are not satellites of another body'),
  users: atMost('users', 'users'),
  images: atMost('images', 'images'),
  imageBytes: atMost('imageBytes', 'bytes of images'),
  deliveries: {
    limit: 'deliveries',
    explain: (used, allowed) =>
      `A universe keeps at most ${allowed} deliveries. This one has ${used}, and none of them has ended. Try again after one has ended, because only such a delivery can be removed.`,
  },
  inboxes: atMost('inboxes', 'inboxes'),
  labRuns: atMost('labRuns', 'runs of the laboratory'),
}

/**
 * The limit that made the database of a universe reject a batch.
 *
 * @param readStored Reads the figures of the universe; only called for such an error
 * @returns Undefined if the error has another cause
 */
export function reachedUniverseLimit(
  error: unknown,
  readStored: () => StoredFigures,
): ExplainedUniverseLimit | undefined {
  const name = violatedName(error, 'universeLimit')
  if (!isLimitName(name)) return undefined
  const { limits, usage, otherBodies } = readStored()
  const { limit, explain } = LIMITS[name]
  const used = usage[limit] + (name === 'bodies' ? otherBodies : 0)
  const allowed = limits[limit]
  return { limit, used, allowed, detail: explain(used, allowed) }
}

const isLimitName = (name: string | undefined): name is keyof typeof LIMITS =>
  name !== undefined && Object.hasOwn(LIMITS, name)
