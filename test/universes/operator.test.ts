import { describe, expect, it } from 'vitest'
import { Failure } from '../../scripts/lib/failure.ts'
import { endUniverse, listUniverses } from '../../scripts/lib/universe-list.ts'
import { readUniversesArguments } from '../../scripts/lib/universes-arguments.ts'
import type { Query } from '../../scripts/lib/wrangler.ts'
import { commonEnv, keysOf, makeUniverse, sweepUniverses, useWorlds } from '../support/worlds.ts'

// What `npm run universes` does. test/service/operator.test.ts runs the command itself.

const UNKNOWN = 'abcdefghijklmnopqrstuvwx'

useWorlds()

const query: Query = async (...statements) => {
  const results = await commonEnv.DB.batch(statements.map((statement) => commonEnv.DB.prepare(statement)))
  return (results.at(-1)?.results ?? []) as Awaited<ReturnType<Query>>
}

describe('an operator', () => {
  it('lists a universe until it is ended, and the service then removes everything in it', async () => {
    const { id, send } = await makeUniverse()
    const line = expect.stringMatching(new RegExp(`^${id}  blank  created \\d{4}-\\d\\d-\\d\\dT[\\d:]+Z$`))
    expect(await listUniverses(query)).toEqual(
      expect.arrayContaining([line, expect.stringMatching(/^\d+ universes?\.$/)]),
    )
    const end = `The service will end universe ${id} within a minute, and remove everything in it.`
    expect(await endUniverse(id, query)).toBe(end)
    expect(await listUniverses(query)).not.toContainEqual(line)
    await sweepUniverses()
    expect((await send('/planets')).status).toBe(410)
    expect(await keysOf(id)).toEqual([])
    // Ending it again does no harm.
    expect(await endUniverse(id, query)).toBe(end)
  })

  it('is told if there is no such universe', async () => {
    await expect(endUniverse(UNKNOWN, query)).rejects.toEqual(new Failure(`Universe ${UNKNOWN} does not exist.`))
  })
})

describe('the arguments of npm run universes', () => {
  it.each([[], ['end'], ['end', 'Bob'], [UNKNOWN], ['--remote']])('cannot be %j', (...args) =>
    expect(readUniversesArguments(args)).toBeUndefined(),
  )

  it('mean this machine unless they say otherwise', () => {
    expect(readUniversesArguments(['list'])).toEqual({ command: 'list', target: ['--local'] })
    expect(readUniversesArguments(['end', UNKNOWN, '--remote'])).toEqual({
      command: 'end',
      id: UNKNOWN,
      target: ['--remote'],
    })
  })
})
