import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyJsonPatch,
  FailedOperation,
  type PatchLimits,
  type PatchOperation,
  PatchTooDeep,
  PatchTooLarge,
} from '../../../../src/http/body/json-patch.ts'
import { isInside, parsePointer } from '../../../../src/lib/json-pointer.ts'
import { plainJsonPatch } from '../../../support/plain-patches.ts'

const AMPLE: PatchLimits = { maxBytes: 1e6, maxLevels: 64, maxHandledBytes: 1e9 }

/** An operation as it is sent. */
interface Sent {
  op: PatchOperation['op']
  path: string
  from?: string
  value?: unknown
}

const parsed = ({ op, path, from = '', value }: Sent): PatchOperation => ({
  op,
  path: parsePointer(path) ?? [],
  from: parsePointer(from) ?? [],
  value: structuredClone(value),
})

const apply = (document: unknown, operations: readonly Sent[], limits: Partial<PatchLimits> = {}) =>
  applyJsonPatch(structuredClone(document), operations.map(parsed), { ...AMPLE, ...limits })

/** The operation that fails, and why. */
function failureOf(document: unknown, operations: readonly Sent[], limits: Partial<PatchLimits> = {}) {
  try {
    return { result: apply(document, operations, limits) }
  } catch (error) {
    if (!(error instanceof FailedOperation)) throw error
    return { index: error.index, is: error.cause.constructor.name }
  }
}

const CONFLICT = 'PatchConflict'

describe('a JSON Pointer', () => {
  it.each([
    ['', []],
    ['/', ['']],
    ['/a/b', ['a', 'b']],
    ['/a~1b/m~0n', ['a/b', 'm~n']],
    ['/~01', ['~1']],
    ['//', ['', '']],
    ['/ /"/\\', [' ', '"', '\\']],
  ])('%j is %j', (text, location) => {
    expect(parsePointer(text)).toEqual(location)
  })

  it.each(['a', 'a/b', ' /a', '/~', '/~2', '/a~', '#/a'])('%j is none', (text) => {
    expect(parsePointer(text)).toBeUndefined()
  })

  it('is inside another one only if it is longer', () => {
    expect(isInside(['a', 'b'], ['a'])).toBe(true)
    expect(isInside(['a'], [])).toBe(true)
    expect(isInside(['a'], ['a'])).toBe(false)
    expect(isInside(['ab'], ['a'])).toBe(false)
  })
})

describe('an operation', () => {
  it.each<[string, unknown, Sent[], unknown]>([
    ['none', { a: 1 }, [], { a: 1 }],
    ['add a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['add over a member', { a: 1 }, [{ op: 'add', path: '/a', value: [2] }], { a: [2] }],
    ['add null', {}, [{ op: 'add', path: '/a', value: null }], { a: null }],
    ['add at an index', ['x', 'z'], [{ op: 'add', path: '/1', value: 'y' }], ['x', 'y', 'z']],
    ['add behind the last item, by index', ['x'], [{ op: 'add', path: '/1', value: 'y' }], ['x', 'y']],
    ['add behind the last item, by -', ['x'], [{ op: 'add', path: '/-', value: 'y' }], ['x', 'y']],
    ['add a list to a list', ['x'], [{ op: 'add', path: '/0', value: ['y'] }], [['y'], 'x']],
    ['add a member named -', {}, [{ op: 'add', path: '/-', value: 1 }], { '-': 1 }],
    ['add a member named 0', {}, [{ op: 'add', path: '/0', value: 1 }], { 0: 1 }],
    ['add a member without a name', {}, [{ op: 'add', path: '/', value: 1 }], { '': 1 }],
    ['add deep', { a: { b: {} } }, [{ op: 'add', path: '/a/b/c', value: 1 }], { a: { b: { c: 1 } } }],
    ['add the whole document', { a: 1 }, [{ op: 'add', path: '', value: [] }], []],
    ['names with escapes', { '/': 1, '~': 2 }, [{ op: 'remove', path: '/~1' }], { '~': 2 }],
    ['remove a member', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    ['remove a member that is null', { a: null }, [{ op: 'remove', path: '/a' }], {}],
    ['remove an item', ['x', 'y', 'z'], [{ op: 'remove', path: '/1' }], ['x', 'z']],
    ['remove twice at one index', [1, 2, 3, 4], Array(2).fill({ op: 'remove', path: '/1' }), [1, 4]],
    ['remove the whole document', { a: 1 }, [{ op: 'remove', path: '' }], undefined],
    ['replace a member', { a: [1], b: 2 }, [{ op: 'replace', path: '/a', value: 'x' }], { a: 'x', b: 2 }],
    ['replace an item', [1, 2], [{ op: 'replace', path: '/0', value: 'x' }], ['x', 2]],
    ['replace the whole document', { a: 1 }, [{ op: 'replace', path: '', value: null }], null],
    ['move a member', { a: 1, b: {} }, [{ op: 'move', from: '/a', path: '/b/c' }], { b: { c: 1 } }],
    ['move over a member', { a: 1, b: 2 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['move an item up', [1, 2, 3], [{ op: 'move', from: '/0', path: '/2' }], [2, 3, 1]],
    ['move an item to the end', [1, 2, 3], [{ op: 'move', from: '/0', path: '/-' }], [2, 3, 1]],
    ['move to where it is', { a: [1] }, [{ op: 'move', from: '/a', path: '/a' }], { a: [1] }],
    ['move to the whole document', { a: [1] }, [{ op: 'move', from: '/a', path: '' }], [1]],
    ['copy a member', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    ['copy into itself', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/a/c' }], { a: { b: 1, c: { b: 1 } } }],
    ['copy an item', [1, 2], [{ op: 'copy', from: '/1', path: '/0' }], [2, 1, 2]],
    ['test a text', { a: '1' }, [{ op: 'test', path: '/a', value: '1' }], { a: '1' }],
    ['test a number written otherwise', { a: 10 }, [{ op: 'test', path: '/a', value: 1e1 }], { a: 10 }],
    ['test null', { a: null }, [{ op: 'test', path: '/a', value: null }], { a: null }],
    [
      'test members in another order',
      { a: { b: 1, c: [2] } },
      [{ op: 'test', path: '/a', value: { c: [2], b: 1 } }],
      { a: { b: 1, c: [2] } },
    ],
    ['test the whole document', [1, { a: 2 }], [{ op: 'test', path: '', value: [1, { a: 2 }] }], [1, { a: 2 }]],
    ['test text with escapes', { 'a~1b': '"' }, [{ op: 'test', path: '/a~01b', value: '"' }], { 'a~1b': '"' }],
    [
      'remove all, then add all',
      [1],
      [
        { op: 'remove', path: '' },
        { op: 'add', path: '', value: 2 },
      ],
      2,
    ],
    ['names of every object', {}, [{ op: 'add', path: '/constructor', value: 1 }], { constructor: 1 }],
  ])('works: %s', (_, document, operations, result) => {
    expect(apply(document, operations)).toEqual(result)
  })

  it('changes a copy without the original', () => {
    const operations: Sent[] = [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/-', value: 2 },
    ]
    expect(apply({ a: [1] }, operations)).toEqual({ a: [1], b: [1, 2] })
  })

  it('adds a member named __proto__ as data', () => {
    const result = apply({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }])
    expect(Object.getOwnPropertyNames(result)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })

  it.each<[string, unknown, Sent[], number]>([
    ['add below nothing', {}, [{ op: 'add', path: '/a/b', value: 1 }], 0],
    ['add below a text', { a: 'x' }, [{ op: 'add', path: '/a/0', value: 1 }], 0],
    ['add below null', { a: null }, [{ op: 'add', path: '/a/b', value: 1 }], 0],
    ['add beyond the end', [1], [{ op: 'add', path: '/2', value: 1 }], 0],
    ['add at no index', [1], [{ op: 'add', path: '/a', value: 1 }], 0],
    ['add at an index with a leading zero', [1], [{ op: 'add', path: '/00', value: 1 }], 0],
    ['add at a negative index', [1], [{ op: 'add', path: '/-1', value: 1 }], 0],
    ['add at an index with a sign', [1], [{ op: 'add', path: '/+0', value: 1 }], 0],
    ['add at an index with an exponent', [1], [{ op: 'add', path: '/1e0', value: 1 }], 0],
    ['add without an index', [1], [{ op: 'add', path: '/', value: 1 }], 0],
    ['remove nothing', { a: 1 }, [{ op: 'remove', path: '/b' }], 0],
    ['remove the item behind the last', [1], [{ op: 'remove', path: '/1' }], 0],
    ['remove -', [1], [{ op: 'remove', path: '/-' }], 0],
    ['remove all twice', {}, Array(2).fill({ op: 'remove', path: '' }), 1],
    ['replace nothing', {}, [{ op: 'replace', path: '/a', value: 1 }], 0],
    ['replace -', [1], [{ op: 'replace', path: '/-', value: 1 }], 0],
    ['move nothing', {}, [{ op: 'move', from: '/a', path: '/b' }], 0],
    ['move to an index that is gone by then', [1, 2], [{ op: 'move', from: '/0', path: '/2' }], 0],
    ['copy nothing', {}, [{ op: 'copy', from: '/a', path: '/b' }], 0],
    ['copy -', [1], [{ op: 'copy', from: '/-', path: '/0' }], 0],
    ['test nothing', {}, [{ op: 'test', path: '/a', value: null }], 0],
    ['test a text against a number', { a: '1' }, [{ op: 'test', path: '/a', value: 1 }], 0],
    ['test an empty list against an object', { a: [] }, [{ op: 'test', path: '/a', value: {} }], 0],
    ['test a part of an object', { a: { b: 1, c: 2 } }, [{ op: 'test', path: '/a', value: { b: 1 } }], 0],
    ['test items in another order', { a: [1, 2] }, [{ op: 'test', path: '/a', value: [2, 1] }], 0],
    ['test false against 0', { a: 0 }, [{ op: 'test', path: '/a', value: false }], 0],
    ['a member that only the prototype has', {}, [{ op: 'test', path: '/toString', value: null }], 0],
    ['a way through the prototype', {}, [{ op: 'add', path: '/__proto__/a', value: 1 }], 0],
    ['a way through the constructor', {}, [{ op: 'add', path: '/constructor/prototype/a', value: 1 }], 0],
    ['the length of a list', [1], [{ op: 'test', path: '/length', value: 1 }], 0],
    ['a character of a text', 'abc', [{ op: 'test', path: '/0', value: 'a' }], 0],
    [
      'the second of three',
      { a: 1 },
      [
        { op: 'remove', path: '/a' },
        { op: 'remove', path: '/a' },
        { op: 'add', path: '/b', value: 1 },
      ],
      1,
    ],
  ])('conflicts: %s', (_, document, operations, index) => {
    expect(failureOf(document, operations)).toEqual({ index, is: CONFLICT })
  })
})

describe('the limits', () => {
  it('of the size: a patch that doubles the document is refused when it gets too large', () => {
    const operations = Array<Sent>(1000).fill({ op: 'copy', from: '', path: '/-' })
    expect(failureOf(['x'.repeat(100)], operations, { maxBytes: 10_000 })).toEqual({
      index: 6,
      is: PatchTooLarge.name,
    })
  })

  it.each<[string, Sent[]]>([
    ['add', [{ op: 'add', path: '/a', value: 'x'.repeat(10) }]],
    ['replace', [{ op: 'replace', path: '/b', value: 'x'.repeat(20) }]],
    ['copy', [{ op: 'copy', from: '/b', path: '/c' }]],
  ])('of the size: %s may fill it, and not exceed it by a byte', (_, operations) => {
    const document = { b: 'y'.repeat(9) }
    const result = JSON.stringify(apply(document, operations))
    const bytes = result.length
    expect(failureOf(document, operations, { maxBytes: bytes })).toEqual({ result: JSON.parse(result) })
    expect(failureOf(document, operations, { maxBytes: bytes - 1 })).toEqual({ index: 0, is: PatchTooLarge.name })
  })

  it('of the size: what is removed makes room', () => {
    const value = 'x'.repeat(1000)
    const around = Array.from({ length: 50 }, (): Sent[] => [
      { op: 'add', path: '/a', value },
      { op: 'remove', path: '/a' },
    ])
    expect(failureOf({}, around.flat(), { maxBytes: 1100 })).toEqual({ result: {} })
    const items = Array.from({ length: 50 }, (): Sent[] => [
      { op: 'add', path: '/-', value },
      { op: 'move', from: '/0', path: '' },
      { op: 'replace', path: '', value: [] },
    ])
    expect(failureOf([], items.flat(), { maxBytes: 1100 })).toEqual({ result: [] })
  })

  it('of the size: bytes are counted, not characters', () => {
    const operation: Sent = { op: 'add', path: '/a', value: '🪐'.repeat(10) }
    expect(failureOf({}, [operation], { maxBytes: 49 })).toEqual({ result: { a: '🪐'.repeat(10) } })
    expect(failureOf({}, [operation], { maxBytes: 48 })).toEqual({ index: 0, is: PatchTooLarge.name })
  })

  it('of the work: copies that are removed again count', () => {
    const again: Sent[] = [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'remove', path: '/b' },
    ]
    const value = 'x'.repeat(98)
    const document = { a: value }
    const operations = Array<Sent[]>(50).fill(again).flat()
    expect(failureOf(document, operations, { maxHandledBytes: 10_000 })).toEqual({ result: document })
    expect(failureOf(document, operations, { maxHandledBytes: 9999 })).toEqual({ index: 99, is: PatchTooLarge.name })
  })

  it.each<[string, Sent]>([
    ['add', { op: 'add', path: '/a/b', value: [[]] }],
    ['replace', { op: 'replace', path: '/a/c', value: [[]] }],
    ['copy', { op: 'copy', from: '/d', path: '/a/b' }],
    ['move', { op: 'move', from: '/d', path: '/a/b' }],
  ])('of the levels: %s reaches them, and not one more', (_, operation) => {
    const document = { a: { c: 1 }, d: [[]] }
    expect(failureOf(document, [operation], { maxLevels: 4 })).toHaveProperty('result')
    expect(failureOf(document, [operation], { maxLevels: 3 })).toEqual({ index: 0, is: PatchTooDeep.name })
  })

  it('of the levels: a patch that nests the document in itself is refused early', () => {
    const operations = Array.from(
      { length: 1000 },
      (_, i): Sent => ({ op: 'copy', from: '', path: '/a'.repeat(i + 1) }),
    )
    expect(failureOf({}, operations)).toEqual({ index: 10, is: PatchTooDeep.name })
  })
})

/** Random documents with few names, so that random locations often exist. */
const NAME = fc.constantFrom('a', 'b', '0', '1', '-', '', '~', '/')
const { document: DOCUMENT } = fc.letrec<{ document: unknown }>((tie) => ({
  document: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, 1, 'a', ''),
    fc.array(tie('document'), { maxLength: 3 }),
    fc.dictionary(NAME, tie('document'), { maxKeys: 3 }),
  ),
}))
const POINTER = fc
  .array(NAME, { maxLength: 3 })
  .map((names) => names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''))
const OPERATION = fc
  .record({
    op: fc.constantFrom<PatchOperation['op']>('add', 'remove', 'replace', 'move', 'copy', 'test'),
    path: POINTER,
    from: POINTER,
    value: DOCUMENT,
  })
  .filter(
    ({ op, path, from }) => op !== 'move' || !isInside(parsed({ op, path }).path, parsed({ op, path: from }).path),
  )

it('random patches do what a plain implementation does', () => {
  fc.assert(
    fc.property(DOCUMENT, fc.array(OPERATION, { maxLength: 5 }), (document, operations) => {
      expect(failureOf(document, operations)).toEqual(
        plainJsonPatch(document, operations, (index) => ({ index, is: CONFLICT })),
      )
    }),
    { numRuns: 3000 },
  )
})
