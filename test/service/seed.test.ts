import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { readStartArguments } from '../../scripts/lib/start-arguments.ts'
import { bodyOf, FOR_MANY_USERS, type Galaxy } from './galaxy.ts'
import { npmStart } from './npm-start.ts'
import { freePort } from './ports.ts'

// `npm start -- --seed`: a new database, and the same ids in each run.

const temporaryFolders = async () =>
  (await readdir(join(ROOT, '.wrangler'))).filter((name) => name.startsWith('state-'))

let foldersBefore: string[]
let galaxy: Galaxy | undefined
let authorization: string

const send = (method: string, path: string, content?: object) =>
  fetch(`${galaxy?.url}${path}`, {
    method,
    headers: { ...(content && { 'Content-Type': 'application/json' }), ...(authorization && { authorization }) },
    body: content ? JSON.stringify(content) : null,
  })

beforeAll(async () => {
  foldersBefore = await temporaryFolders()
  galaxy = await npmStart(['--port', String(await freePort()), '--seed', '42', ...FOR_MANY_USERS])
  authorization = ''
})

afterAll(() => stop())

let stopped: Promise<unknown> | undefined
const stop = () => (stopped ??= galaxy?.stop())

/** What the ids of the seed 42 begin with. */
const SEEDED = '87e38583'

describe('a service with a seed', () => {
  it('makes the ids that it makes in each run', async () => {
    const first = await send('GET', '/planets/4')
    expect(first.headers.get('X-Request-ID')).toBe(`${SEEDED}-0000-4000-8000-000000000001`)
    await send('POST', '/user/signup', { email: 'ada@galaxy.test', password: 'correct horse battery', name: 'Ada' })
    const { token } = await bodyOf(
      await send('POST', '/auth/token', { email: 'ada@galaxy.test', password: 'correct horse battery' }),
    )
    const claims = JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')))
    expect(claims.jti).toBe(`${SEEDED}-0001-4000-8000-000000000001`)
    authorization = `Bearer ${token}`
    const planet = await bodyOf(await send('POST', '/planets', { name: 'Arrakis' }))
    expect(planet.id).toBe(5403)
    expect(await bodyOf(await send('POST', '/inboxes'))).toMatchObject({ id: `${SEEDED}-0005-4000-8000-000000000001` })
    const universe = await bodyOf(await send('POST', '/universes'))
    expect(universe.id).toBe('q7rylayaaaaaaaaaaaaaaaab')
    const { data: events } = await bodyOf(await send('GET', '/events'))
    expect(events.map(({ eventId }: { eventId: string }) => eventId)).toEqual([
      '00000000-0000-7000-87e3-858300000001',
      '00000000-0000-7000-87e3-858300000002',
      '00000000-0000-7001-87e3-858300000002',
      '00000000-0000-7000-87e3-858300000003',
      '00000000-0000-7001-87e3-858300000003',
    ])
    for (const event of events) expect(await bodyOf(await send('GET', `/events/${event.eventId}`))).toEqual(event)
    // The database was new, and is removed at the end.
    expect(await temporaryFolders()).toHaveLength(foldersBefore.length + 1)
    await stop()
    expect(await temporaryFolders()).toEqual(foldersBefore)
  })
})

it.each([
  ['--var SEED, which would use a stored database', ['--var', 'SEED:42'], 'Use --seed TEXT'],
  ['an empty seed', ['--seed', ''], '--seed must have 1 to 64'],
  ['a seed with a space', ['--seed', 'a b'], '--seed must have 1 to 64'],
  ['a seed of 65 letters', ['--seed', 'a'.repeat(65)], '--seed must have 1 to 64'],
])('%s is refused', (_, args, message) => expect(() => readStartArguments(args)).toThrow(message))

it('a seed of 64 letters is accepted', () => {
  expect(readStartArguments(['--seed', 'a'.repeat(64)]).passedOn).toContain(`SEED:${'a'.repeat(64)}`)
})

it('a seed and a folder cannot be combined, because ids would repeat', () => {
  expect(() => readStartArguments(['--seed', '42', '--persist-to', 'state'])).toThrow(
    '--seed begins with a new database',
  )
})
