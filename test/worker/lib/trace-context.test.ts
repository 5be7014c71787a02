import { describe, expect, it } from 'vitest'
import { readTrace, traceHeaders } from '../../../src/lib/trace-context.ts'
import { eachRow } from '../../support/each-row.ts'

// W3C Trace Context, Level 1. The invalid values are those that the standard names.

const ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const VALID = `00-${ID}-${PARENT}-01`

const read = (traceparent: string, tracestate?: string) =>
  readTrace(new Headers({ traceparent, ...(tracestate !== undefined && { tracestate }) }))

describe('traceparent', () => {
  it('names the trace, and whether it is recorded', () => {
    expect(read(VALID)).toEqual({ id: ID, isSampled: true })
    expect(read(`00-${ID}-${PARENT}-00`)).toEqual({ id: ID, isSampled: false })
  })

  it('has flags of which only the lowest is known', () => {
    expect(read(`00-${ID}-${PARENT}-fe`)).toEqual({ id: ID, isSampled: false })
    expect(read(`00-${ID}-${PARENT}-ff`)).toEqual({ id: ID, isSampled: true })
  })

  it('of a later version is read as far as it is known', () =>
    eachRow([`01-${ID}-${PARENT}-01`, `cc-${ID}-${PARENT}-01-what-the-future-will-be-like`], (value) => {
      expect(read(value)).toEqual({ id: ID, isSampled: true })
    }))

  it('is ignored with its tracestate if it is not valid', () =>
    eachRow(
      [
        '',
        'nothing',
        ID,
        `00-${ID}-${PARENT}`,
        `00-${ID}-${PARENT}-1`,
        `00-${ID}-${PARENT}-001`,
        `00-${ID}-${PARENT}-01-more`,
        `00-${ID}-${PARENT}-01-`,
        `01-${ID}-${PARENT}-01.more`,
        `ff-${ID}-${PARENT}-01`,
        `0-${ID}-${PARENT}-01`,
        `00-${ID.toUpperCase()}-${PARENT}-01`,
        `00-${ID.slice(1)}-${PARENT}-01`,
        `00-${ID}0-${PARENT}-01`,
        `00-${ID.slice(1)}g-${PARENT}-01`,
        `00-${'0'.repeat(32)}-${PARENT}-01`,
        `00-${ID}-${'0'.repeat(16)}-01`,
        `00_${ID}_${PARENT}_01`,
        `${VALID}, ${VALID}`,
      ],
      (value) => {
        expect(read(value, 'vendor=1')).toBeUndefined()
      },
    ))
})

describe('tracestate', () => {
  it('is passed on as it is, without empty members', () =>
    eachRow(
      [
        ['vendor=1', 'vendor=1'],
        ['a=1,b=2', 'a=1,b=2'],
        [' a=1 \t, b=2', 'a=1,b=2'],
        ['a=1,,b=2,', 'a=1,b=2'],
        ['tenant@system=x y', 'tenant@system=x y'],
        ['0tenant@system=1', '0tenant@system=1'],
        [`a=${'x'.repeat(256)}`, `a=${'x'.repeat(256)}`],
      ],
      ([value, state]) => {
        expect(read(VALID, value)).toEqual({ id: ID, isSampled: true, state })
      },
    ))

  it('is left out if it is not valid or too long', () =>
    eachRow(
      [
        '',
        'vendor',
        '=1',
        'Vendor=1',
        '0vendor=1',
        'vendor=',
        'vendor=a=b',
        'vendor=ä',
        'a@b@c=1',
        `a@${'x'.repeat(15)}=1`,
        `a=${'x'.repeat(257)}`,
        'a=1,a=2',
        Array.from({ length: 33 }, (_, index) => `k${index}=1`).join(','),
        `a=${'x'.repeat(250)},b=${'x'.repeat(250)},c=${'x'.repeat(20)}`,
      ],
      (value) => {
        expect(read(VALID, value)).toEqual({ id: ID, isSampled: true })
      },
    ))

  it('may have 32 members and 512 characters', () => {
    const many = Array.from({ length: 32 }, (_, index) => `k${index}=1`).join(',')
    const long = `a=${'x'.repeat(250)},b=${'x'.repeat(250)},c=123`
    expect(long).toHaveLength(510 + 1)
    for (const state of [many, `${long}4`]) expect(read(VALID, state)).toMatchObject({ state })
  })
})

it('a trace is passed on with a new parent id each time', () => {
  const sent = [1, 2].map(() => traceHeaders({ id: ID, isSampled: true, state: 'vendor=1' }))
  for (const headers of sent) {
    expect(headers).toEqual({
      traceparent: expect.stringMatching(`^00-${ID}-[0-9a-f]{16}-01$`),
      tracestate: 'vendor=1',
    })
    expect(readTrace(new Headers(headers))).toEqual({ id: ID, isSampled: true, state: 'vendor=1' })
  }
  expect(sent[0]?.traceparent).not.toBe(sent[1]?.traceparent)
  expect(traceHeaders({ id: ID, isSampled: false })).toEqual({ traceparent: expect.stringMatching(/-00$/) })
})
