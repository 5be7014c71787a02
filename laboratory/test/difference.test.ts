import { describe, expect, it } from 'vitest'
import { compareSides } from '../difference.ts'
import { judgedCaseOf } from '../documents/judged.ts'
import { CASES } from '../suite/suite.ts'

const caseOf = (id: string) => {
  const spec = CASES.find((one) => one.id === id)
  if (!spec) throw new Error(`no case ${id}`)
  return judgedCaseOf(spec)
}

const TEXT = { encoding: null } as const
const whole = { isCutBefore: false, isCutAfter: false }

describe('received and expected', () => {
  it('are marked at the same byte', () => {
    expect(
      compareSides(caseOf('query/form-array'), { received: 'color=blue%2Cblack%2Cbrown', at: 10, ...TEXT }),
    ).toEqual({
      received: { ...whole, before: 'color=blue', marked: '%', after: '2Cblack%2Cbrown' },
      expected: { ...whole, before: 'color=blue', marked: ',', after: 'black,brown' },
      isBinary: false,
      at: 10,
    })
  })

  it('are marked at the end of the side that ends before', () => {
    const sides = compareSides(caseOf('query/form-array'), { received: 'color=blue', at: 10, ...TEXT })
    expect(sides?.received).toEqual({ ...whole, before: 'color=blue', marked: '⟨end⟩', after: '' })
    expect(sides?.expected).toMatchObject({ marked: ',' })
  })

  it('both begin with the header, if it decides', () => {
    const sides = compareSides(caseOf('body/object'), {
      part: 'header content-type',
      received: 'text/plain',
      at: 0,
      ...TEXT,
    })
    expect(sides?.received).toMatchObject({ before: 'Content-Type: ', marked: 't', after: 'ext/plain' })
    expect(sides?.expected).toMatchObject({ before: 'Content-Type: ', marked: 'a', after: 'pplication/json' })
  })

  it('say in words what cannot be written in a line, or did not come', () => {
    const sides = compareSides(caseOf('multipart/text'), { part: 'body', received: '', at: 0, ...TEXT })
    expect(sides).toEqual({ received: 'no body', expected: 'parts name, count, text', isBinary: false, at: null })
  })

  it('show bytes that are no text with escapes, around the difference', () => {
    const received = btoa(`${'a'.repeat(100)}\x00\xffend`)
    const sides = compareSides(caseOf('body/bytes'), { received, encoding: 'base64', at: 101 })
    expect(sides?.received).toEqual({
      isCutBefore: true,
      isCutAfter: false,
      before: `${'a'.repeat(19)}\\x00`,
      marked: '\\xff',
      after: 'end',
    })
    expect(sides?.isBinary).toBe(true)
  })

  it('show no character that changes the order of others, and none in pieces', () => {
    const sides = compareSides(caseOf('body/top-string'), {
      received: `"${'ö'.repeat(50)}\u202e\n🪐"`,
      at: 105,
      ...TEXT,
    })
    const before = expect.stringMatching(/ö\\u\{202e\}\\n$/)
    expect(sides?.received).toMatchObject({ isCutBefore: true, before, marked: '🪐', after: '"' })
  })

  it('have no mark where the difference is behind the bytes that were kept', () => {
    const sides = compareSides(caseOf('body/top-string'), { received: `"${'a'.repeat(2047)}`, at: 3000, ...TEXT })
    expect(sides?.received).toMatchObject({ isCutBefore: true, before: 'a'.repeat(20), marked: '', isCutAfter: true })
    expect(sides?.expected).toMatchObject({ before: '"blue"', marked: '⟨end⟩' })
  })

  it('begin with the same bytes, however far the difference is', () => {
    const long = `"${'a'.repeat(500)}"`
    const sides = compareSides(caseOf('body/top-string'), { received: long, at: 400, ...TEXT })
    expect(sides?.received).toMatchObject({ isCutBefore: true, before: 'a'.repeat(20), isCutAfter: true })
    expect(sides?.expected).toMatchObject({ isCutBefore: false, before: '"blue"', marked: '⟨end⟩' })
  })
})

it('each form of a part stands in the form that we would send', () => {
  const judged = CASES.filter(({ level, wire }) => level !== 'open' && wire === undefined).map(judgedCaseOf)
  for (const { id, forms = {}, wire } of judged) {
    for (const [part, form] of Object.entries(forms)) {
      if (part !== 'header content-type' && form?.encoding === null) expect(wire, `${id}: ${part}`).toContain(form.text)
    }
  }
})
