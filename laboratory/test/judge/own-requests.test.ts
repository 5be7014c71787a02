import fc from 'fast-check'
import { expect, it } from 'vitest'
import { eachRow } from '../../../test/support/each-row.ts'
import { judgeRequest } from '../../judge/index.ts'
import { expectNamedPart } from './named-part.ts'
import { type Freedom, judgedCases, PLAIN, writeRequest } from './own-requests.ts'

it('has a request for each case that is judged by its request', () => {
  expect(judgedCases.length).toBeGreaterThan(110)
})

it('each case passes in the form that we would send', () =>
  eachRow(judgedCases, (judged) => {
    const { verdict, reason, at } = judgeRequest(judged, writeRequest(judged, PLAIN))
    expect({ verdict, reason, at }).toEqual({ verdict: 'pass', reason: null, at: null })
  }))

it('each case that expects something fails if nothing arrives', () => {
  const expecting = judgedCases.filter(
    ({ body, parameters }) => (body && body.as !== 'none') || parameters?.some(({ expected }) => expected),
  )
  return eachRow(expecting, (judged) => {
    const nothing = { method: judged.method, rest: '', query: '', headers: new Headers(), body: new Uint8Array() }
    const judgement = judgeRequest(judged, nothing)
    expect(judgement).toMatchObject({ verdict: 'fail', at: 0, received: '' })
    expectNamedPart(judgement)
  })
})

/** Freedom that follows a list of numbers. */
function freedomOf(numbers: readonly number[]): Freedom {
  let used = 0
  const next = (bound: number) => (numbers[used++ % numbers.length] ?? 0) % bound
  return {
    choose: (...ways) => ways[next(ways.length)] ?? ways[0],
    shuffle: (items) => {
      const shuffled = [...items]
      for (let i = shuffled.length - 1; i > 0; i--) {
        const other = next(i + 1)
        const [one, two] = [shuffled[i], shuffled[other]]
        if (one !== undefined && two !== undefined) [shuffled[i], shuffled[other]] = [two, one]
      }
      return shuffled
    },
  }
}

it('does not judgeRequest what a hop or a writer may change', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...judgedCases),
      fc.array(fc.nat(1000), { minLength: 7, maxLength: 40 }),
      (judged, numbers) => {
        const request = writeRequest(judged, freedomOf(numbers))
        const { verdict, reason } = judgeRequest(judged, request)
        const sent = [judged.id, request.query, request.headers.get('Content-Type')]
        expect([...sent, verdict, reason]).toEqual([...sent, 'pass', null])
      },
    ),
    { numRuns: 3000 },
  )
}, 60_000)

const ANY_BYTES = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .string({ unit: fc.constantFrom(...'{}[]",:\\u0123e-.<>/!&;#=%+ \r\n\t-b"a'), maxLength: 300 })
    .map((text) => new TextEncoder().encode(text)),
)

it('judges any request, points into what arrived, and names the part', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...judgedCases),
      ANY_BYTES,
      fc.nat(300),
      fc.boolean(),
      fc.array(fc.nat(1000), { minLength: 7, maxLength: 40 }),
      (judged, noise, place, isInserted, numbers) => {
        const own = writeRequest(judged, freedomOf(numbers))
        const spoil = (text: string) => {
          const at = place % (text.length + 1)
          const inserted = new TextDecoder()
            .decode(noise)
            .slice(0, 5)
            .replaceAll(/[^\x20-\x7e]/g, '%')
          return text.slice(0, at) + inserted + text.slice(isInserted ? at : at + inserted.length)
        }
        const at = place % (own.body.length + 1)
        const rest = own.body.subarray(isInserted ? at : at + noise.length)
        const body = own.body.length > 0 ? Uint8Array.of(...own.body.subarray(0, at), ...noise, ...rest) : noise
        const headers = new Headers([...own.headers].map(([name, value]) => [name, place % 2 ? value : spoil(value)]))
        const judgement = judgeRequest(judged, {
          ...own,
          rest: spoil(own.rest),
          query: spoil(own.query),
          headers,
          body,
        })
        const { verdict, at: found, reason, received, encoding } = judgement
        expect(verdict).toBeOneOf(['pass', 'non-strict', 'fail'])
        if (verdict === 'pass') expect([found, reason]).toEqual([null, null])
        else {
          const length =
            encoding === 'base64' ? atob(received ?? '').length : new TextEncoder().encode(received ?? '').length
          expect(found).toBeGreaterThanOrEqual(0)
          // What is shown ends after 2,048 bytes, or before the character there.
          expect(found).toBeLessThanOrEqual(length < 2045 ? length : body.length)
          expect(reason).toMatch(/^[^\r\n]{1,200}$/)
          expectNamedPart(judgement)
        }
      },
    ),
    { numRuns: 5000 },
  )
}, 60_000)
