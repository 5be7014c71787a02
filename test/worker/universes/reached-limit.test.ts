import { expect, it } from 'vitest'
import type { ReachedUniverseLimit } from '../../../src/domain/limits.ts'
import { reachedUniverseLimit } from '../../../src/universes/reached-limit.ts'

const FIGURES = {
  limits: { planets: 9, users: 8, images: 7, imageBytes: 600, deliveries: 5, inboxes: 4, labRuns: 3 },
  usage: { planets: 6, users: 8, images: 7, imageBytes: 590, deliveries: 5, inboxes: 4, labRuns: 3 },
  otherBodies: 3,
}
const errorOf = (name: string) => new Error(`D1_ERROR: universe limit: ${name}: SQLITE_CONSTRAINT`)

it.each<[name: string, reached: ReachedUniverseLimit]>([
  ['planets', { limit: 'planets', used: 6, allowed: 9 }],
  ['bodies', { limit: 'planets', used: 9, allowed: 9 }],
  ['users', { limit: 'users', used: 8, allowed: 8 }],
  ['images', { limit: 'images', used: 7, allowed: 7 }],
  ['imageBytes', { limit: 'imageBytes', used: 590, allowed: 600 }],
  ['deliveries', { limit: 'deliveries', used: 5, allowed: 5 }],
  ['inboxes', { limit: 'inboxes', used: 4, allowed: 4 }],
  ['labRuns', { limit: 'labRuns', used: 3, allowed: 3 }],
])('an error about %s names the limit, and says it to people', (name, reached) => {
  const wrapped = new Error('the query failed', { cause: errorOf(name) })
  const { detail, ...members } = reachedUniverseLimit(wrapped, () => FIGURES) ?? {}
  expect(members).toEqual(reached)
  expect(detail).toMatch(new RegExp(`^A universe .* at most ${reached.allowed} .* This one has ${reached.used}[, ]`))
})

it.each(['account limit: images', 'universe limit: constructor', 'no such table: planets'])(
  'an error with another cause is none: %s',
  (message) => {
    const readNothing = () => {
      throw new Error('no figures are needed')
    }
    expect(reachedUniverseLimit(new Error(message), readNothing)).toBeUndefined()
  },
)
