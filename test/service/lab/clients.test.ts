import { describe, expect, it } from 'vitest'
import { COUNTS_IN, ONLY_IN_32, versionsOf } from '../../../laboratory/test/table.ts'
import { bodyOf } from '../galaxy.ts'
import { ownAddress } from '../own-address.ts'
import { shareGalaxy } from '../prepared-state.ts'
import { BROKEN_CLIENTS } from './broken-clients.ts'
import { BROKEN_IN_32 } from './broken-streams.ts'
import { BROKEN_VALUES } from './broken-values.ts'
import type { Difference } from './differences.ts'
import { HARMLESS_CLIENTS } from './harmless-clients.ts'
import { ReferenceClient } from './reference/client.ts'
import { KnownCalls } from './reference/known-calls.ts'
import { type Result, runClient } from './reference/run.ts'

// Clients that read only the document and the inputs of the catalogue, at the real service.

const galaxy = shareGalaxy()

async function makeUniverse(): Promise<string> {
  const response = await fetch(`${galaxy.url}/universes`, { method: 'POST', headers: ownAddress() })
  return (await bodyOf(response)).url
}

/** A verdict, its byte, and what was sent before this byte, as a list of differences has it. */
function describeResult({ verdict, at, received, encoding }: Result): unknown[] {
  const bytes = Buffer.from(received ?? '', encoding ?? 'utf8').subarray(0, at ?? 0)
  return [verdict, at, at === null ? null : bytes.toString(encoding === null ? 'utf8' : 'latin1')]
}

function describeDifference([verdict, before]: Difference, { encoding }: Result): unknown[] {
  return [verdict, before === null ? null : Buffer.byteLength(before, encoding === null ? 'utf8' : 'latin1'), before]
}

const DOCUMENTS = ['3.1', '3.2'] as const
type Version = (typeof DOCUMENTS)[number]

function requirePassed(results: readonly Result[], openapi: Version): void {
  expect(results.filter(({ level, verdict }) => level !== 'open' && verdict !== 'pass')).toEqual([])
  const verdicts = Object.groupBy(results, ({ level, verdict }) => (level === 'open' ? `open ${verdict}` : verdict))
  expect(verdicts.pass?.length).toBe(COUNTS_IN[openapi].judged)
  expect(verdicts['open info']?.length).toBe(COUNTS_IN[openapi].open)
}

describe.each(DOCUMENTS)('all cases of OpenAPI %s that are judged are passed by', { concurrent: true }, (openapi) => {
  it.each([
    ['in the common world', () => galaxy.url],
    ['in a universe', makeUniverse],
  ])('the reference client %s', async (_, findBase) => {
    requirePassed(await runClient(await findBase(), 'reference', ReferenceClient, openapi), openapi)
  })

  it.each(HARMLESS_CLIENTS)('one that %s', async (habit, Client) => {
    requirePassed(await runClient(galaxy.url, habit, Client, openapi), openapi)
  })
})

const known = new KnownCalls()

const ALL_BROKEN = [...BROKEN_CLIENTS, ...BROKEN_VALUES]

it('each case that is judged fails for one of the broken clients, and not only because it has no Content-Type', async () => {
  const lists = ALL_BROKEN.filter(({ habit }) => habit !== 'sends no Content-Type').map(
    ({ differences }) => differences,
  )
  const failing = new Set(lists.flatMap((list) => Object.keys(list)))
  const { cases } = await bodyOf(await fetch(`${galaxy.url}/lab/cases`))
  const judged: string[] = cases.flatMap(({ id, level }: Record<string, string>) =>
    level === 'open' || !versionsOf(id ?? '').includes('3.1') ? [] : [id],
  )
  expect(judged.length).toBe(COUNTS_IN['3.1'].judged)
  expect(judged.filter((id) => !failing.has(id))).toEqual([])
})

it('each case that only OpenAPI 3.2 has fails for one of them, but the one whose reference has to be followed', () => {
  const failing = new Set(BROKEN_IN_32.flatMap(({ differences }) => Object.keys(differences)))
  const open = 'form/serialized-example'
  expect(ONLY_IN_32.filter((id) => !failing.has(id))).toEqual([open, 'body/self-reference'])
})

describe.concurrent('a client that', () => {
  it.each([
    ...ALL_BROKEN.map((client) => [client.habit, client, '3.1'] as const),
    ...BROKEN_IN_32.map((client) => [client.habit, client, '3.2'] as const),
  ])(
    '%s fails where it should, and nowhere else',
    // What is sent at once may come in time, if the machine is busy.
    { retry: 2 },
    async (habit, { Client, differences }, openapi) => {
      const results = await runClient(galaxy.url, habit, Client, openapi, known)
      expect(results).toHaveLength(COUNTS_IN[openapi].all)
      const found = results.filter(({ level, verdict, reason }) =>
        level === 'open' ? reason === 'refused' : verdict !== 'pass',
      )
      const expected = Object.entries(differences).map(([id, difference]) => {
        const result = results.find((one) => one.case === id)
        return [id, result && describeDifference(difference, result)]
      })
      expect(Object.fromEntries(found.map((result) => [result.case, describeResult(result)]))).toEqual(
        Object.fromEntries(expected),
      )
    },
  )
})
