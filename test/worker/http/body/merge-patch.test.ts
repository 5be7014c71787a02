import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyMergePatch } from '../../../../src/http/body/merge-patch.ts'
import { plainMergePatch } from '../../../support/plain-patches.ts'

// The cases of RFC 7396, appendix A.
it.each<[unknown, unknown, unknown]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j patched with %j is %j', (target, patch, result) => {
  const before = structuredClone([target, patch])
  expect(applyMergePatch(target, patch)).toEqual(result)
  expect([target, patch]).toEqual(before)
})

it('a list in a patch may contain null', () => {
  expect(applyMergePatch({}, { a: [null, { b: null }] })).toEqual({ a: [null, { b: null }] })
})

it('a member named __proto__ is data', () => {
  const result = applyMergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'))
  expect(Object.getOwnPropertyNames(result)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
  expect('polluted' in {}).toBe(false)
})

it('random patches do what a plain implementation does', () => {
  const value = fc.jsonValue({ maxDepth: 3 }).filter((candidate) => !JSON.stringify(candidate).includes('__proto__'))
  fc.assert(
    fc.property(value, value, (target, patch) => {
      expect(applyMergePatch(target, patch)).toEqual(plainMergePatch(target, patch))
    }),
    { numRuns: 1000 },
  )
})
