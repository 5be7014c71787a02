import type { Happening } from '../../src/events/happening.ts'

const PLANET = { id: 1, name: 'Told', creator: { id: 1 }, lastUpdated: '2026-01-15T12:00:00.000Z' }

/** What the statements of a planet write to the log, for tests that are not about the log. */
export const TOLD = {
  created: { kind: 'planet_created', body: PLANET, details: {} },
  updated: { kind: 'planet_updated', body: PLANET, details: { old: {} } },
} as const satisfies Record<string, Happening>

/** What a change of a planet says about its request. */
export const TOLD_CHANGE = { origin: {}, imageUrlPrefix: 'http://galaxy.test/images/' }
