import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LOCAL_VARIABLES } from '../../scripts/lib/local-variables.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import {
  AGE_MAX_HOURS,
  IDLE_HOURS_DEFAULT,
  IDLE_HOURS_MAX,
  OWN_PLANETS_MAX,
  SEEDS,
  TOMBSTONE_DAYS,
  UNIVERSE_LIMITS,
} from '../../src/domain/universe.ts'
import { documentedFetch } from '../support/documented-fetch.ts'
import { proseOf, sectionOf, tableOf } from './documentation.ts'
import { bodyOf } from './galaxy.ts'
import { shareGalaxy } from './prepared-state.ts'

// Compares the figures of docs/universes.md with those of the service. Its commands are in documented-commands.test.ts.

const page = await readFile(join(ROOT, 'docs', 'universes.md'), 'utf8')
const galaxy = shareGalaxy()

describe('the figures of docs/universes.md', () => {
  const figure = (value: number) => value.toLocaleString('en-US')

  it('are the limits of a universe', () => {
    const limits = [...tableOf(sectionOf(page, '## Limits'))].map(([name, [limit]]) => [name, limit])
    expect(Object.fromEntries(limits)).toEqual({
      planets: `${figure(OWN_PLANETS_MAX)} more than the universe began with`,
      ...Object.fromEntries(Object.entries(UNIVERSE_LIMITS).map(([name, limit]) => [name, figure(limit)])),
    })
  })

  it('are what a universe can be made with, and how long it lasts', () => {
    const members = tableOf(sectionOf(page, '## Make one'))
    expect(members.get('hours')).toEqual([
      expect.stringContaining(`1 to ${IDLE_HOURS_MAX}:`),
      String(IDLE_HOURS_DEFAULT),
    ])
    for (const seed of SEEDS) expect(members.get('seed')?.[0]).toContain(`${seed}:`)
    const end = proseOf(page, '## When it ends')
    expect(end).toContain(`No universe lasts longer than ${AGE_MAX_HOURS / 24} days.`)
    expect(end).toContain(`for ${TOMBSTONE_DAYS} days`)
  })

  it('are how many universes one address can make', async () => {
    const toml = await readFile(join(ROOT, 'wrangler.toml'), 'utf8')
    const deployed = /^UNIVERSE_RATE_LIMIT = "(\d+)"/m.exec(toml)?.[1]
    const limits = proseOf(page, '## Limits')
    expect(limits).toContain(`One address can make ${deployed} universes in an hour.`)
    expect(limits).toContain(`\`npm start\` allows ${figure(Number(LOCAL_VARIABLES.UNIVERSE_RATE_LIMIT))},`)
    const made = await documentedFetch(`${galaxy.url}/universes`, { method: 'POST' })
    expect(made.headers.get('X-RateLimit-Limit')).toBe(LOCAL_VARIABLES.UNIVERSE_RATE_LIMIT)
    const { url, token } = await bodyOf(made)
    await fetch(`${url}/universe`, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } })
  })
})
