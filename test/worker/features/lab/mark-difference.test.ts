import { describe, expect, it } from 'vitest'
import { markDifference } from '../../../../src/features/lab/runs/mark-difference.ts'
import type { LabResult } from '../../../../src/schemas/lab-run.ts'

const mark = (received: string | null, at: number | null, encoding: string | null = null) =>
  markDifference({ received, at, encoding } as LabResult)

describe('the report marks', () => {
  it.each([
    ['the first byte', 'abc', 0, { before: '', marked: 'a', after: 'bc', note: ', byte 0' }],
    ['the byte, not the character', 'größe', 4, { before: 'grö', marked: 'ß', after: 'e', note: ', byte 4' }],
    ['a whole character', 'a🪐b', 1, { before: 'a', marked: '🪐', after: 'b', note: ', byte 1' }],
    ['what is missing at the end', 'ab', 2, { before: 'ab', marked: '⟨end⟩', after: '', note: ', byte 2' }],
    ['nothing if all is well', 'ab', null, { before: 'ab', marked: '', after: '', note: '' }],
    ['nothing where nothing is', '', null, { before: '', marked: '', after: '', note: ': nothing' }],
    ['a line break by its picture', 'a\nb', 1, { before: 'a', marked: '␊', after: 'b', note: ', byte 1' }],
    ['control characters by theirs', '\u0001\u007fb', 2, { before: '␁␡', marked: 'b', after: '', note: ', byte 2' }],
  ])('%s', (_, received, at, expected) => {
    expect(mark(received, at)).toEqual(expected)
  })

  it('no byte after those that are kept', () => {
    const { marked, note } = mark('x'.repeat(2048), 3000) ?? {}
    expect([marked, note]).toEqual(['', ': the first 2048 bytes; they part at byte 3000'])
  })

  it('bytes in hexadecimal, around the difference', () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, index) => index).toBase64()
    expect(mark(bytes, 20, 'base64')).toMatchObject({
      before: expect.stringMatching(/^04 05 .* 13 $/),
      marked: '14',
      after: expect.stringMatching(/^ 15 .* 43$/),
      note: ': bytes from 4, in hexadecimal, byte 20',
    })
    expect(mark(bytes, 100, 'base64')?.marked).toBe('⟨end⟩')
  })

  it('nothing if nothing was kept', () => {
    expect(mark(null, null)).toBeUndefined()
  })
})
