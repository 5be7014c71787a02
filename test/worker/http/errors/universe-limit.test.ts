import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { aroundRuns, openD1, type SqliteDatabase } from '../../../../src/db/port.ts'
import { ProblemError } from '../../../../src/domain/problems.ts'
import { Problem } from '../../../../src/schemas/problem.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  ORIGIN,
} from '../../../support/app.ts'
import { fullDatabase } from '../../../support/failing-database.ts'
import { makePicture } from '../../../support/pictures.ts'
import { readProblem } from '../../../support/xml.ts'

// The database of a universe throws a problem if a limit of the universe is reached. Drizzle throws an error of its own
// then, whose cause is this problem.

const universeLimit = { limit: 'planets', used: 25_402, allowed: 25_402 } as const
const DETAIL = 'A universe can have at most 25402 planets.'
const REACHED = new ProblemError('universe-limit', DETAIL, { universeLimit })

let client: Client
let account: Account
let log: MockInstance

beforeAll(async () => {
  account = await createAccount(createClient())
  client = createClient({ database: fullDatabase(openD1(env.DB), REACHED) })
})

beforeEach(() => {
  log = vi.spyOn(console, 'error').mockReturnValue()
})

afterEach(() => {
  log.mockRestore()
})

describe('a reached limit of a universe', () => {
  it('is 403 with its name, and how much is used and allowed', async () => {
    const response = await client.sendJson('POST', '/planets', { name: 'One too many' }, account)
    expect(response.status).toBe(403)
    expect(await bodyOf(response)).toEqual({
      type: `${ORIGIN}/problems/universe-limit`,
      title: 'Universe limit reached',
      status: 403,
      detail: DETAIL,
      instance: `urn:uuid:${response.headers.get('X-Request-ID')}`,
      ...universeLimit,
    })
    expect(log).not.toHaveBeenCalled()
  })

  it('is the same in XML', async () => {
    const response = await client.send('/planets', {
      method: 'POST',
      body: '{"name":"One too many"}',
      headers: { ...authorization(account), 'Content-Type': 'application/json', Accept: 'application/xml' },
    })
    const value = readProblem(await response.text())
    expect(value).toMatchObject(universeLimit)
    expect(Problem.parse(value)).toEqual(value)
  })

  it('is an error of OAuth where errors are', async () => {
    const response = await client.sendJson('POST', '/oauth/register', { redirect_uris: ['https://app.example/'] })
    expect([response.status, await bodyOf(response)]).toMatchObject([403, { error: 'access_denied' }])
  })

  it('comes after the faults of the body, and does not hide them', async () => {
    const planet = { name: '', failureCallbackUrl: 'https://receiver.example/' }
    const response = await client.sendJson('POST', '/planets', planet, account)
    expect([response.status, (await bodyOf(response)).type]).toEqual([400, `${ORIGIN}/problems/invalid-body`])
  })

  it('leaves no object of a picture that the planet could not show', async () => {
    const good = createClient()
    const { id } = await bodyOf(await good.sendJson('POST', '/planets', { name: 'Full' }, account))
    const full = createClient({ database: refusing(/^update "planets"/) })
    expect((await full.upload(`/planets/${id}/image`, makePicture(), account)).status).toBe(403)
    expect((await env.IMAGES.list()).objects).toEqual([])
  })
})

/** The real database. Writes with a statement of this kind reach the limit. */
function refusing(pattern: RegExp): SqliteDatabase {
  return aroundRuns(openD1(env.DB), async (statements, run) => {
    if (statements.some(({ sql }) => pattern.test(sql))) throw REACHED
    return await run(statements)
  })
}
