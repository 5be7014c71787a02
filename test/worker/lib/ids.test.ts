import { afterEach, describe, expect, it } from 'vitest'
import { makeEventId, makeSalt, parseEventId } from '../../../src/domain/event-id.ts'
import { isUniverseId, makeUniverseId } from '../../../src/domain/universe-address.ts'
import { isUuid } from '../../../src/http/uuid.ts'
import { hasSeed, newIdBytes, newUuid, seededIds, useSeed } from '../../../src/lib/ids.ts'

afterEach(() => useSeed(undefined))

describe('ids', () => {
  it('are random without a seed', () => {
    expect(hasSeed()).toBe(false)
    const made = Array.from({ length: 100 }, () => [
      newUuid('request'),
      newIdBytes('span', 8).toHex(),
      makeUniverseId(),
    ])
    expect(new Set(made.flat()).size).toBe(300)
    expect(made.every(([uuid = '', , universe = '']) => isUuid(uuid) && isUniverseId(universe))).toBe(true)
  })

  it('of one seed are the same each time', () => {
    const [one, same, other] = ['42', '42', '43'].map(seededIds)
    const made = Array.from({ length: 300 }, () => one?.uuid('request'))
    expect(Array.from({ length: 300 }, () => same?.uuid('request'))).toEqual(made)
    expect(made).not.toContain(other?.uuid('request'))
    expect(new Set(made).size).toBe(300)
    expect(made[299]).toBe('87e38583-0000-4000-8000-00000000012c')
  })

  it('of each kind are counted by themselves', () => {
    const ids = seededIds('42')
    const first = ids.uuid('token')
    ids.uuid('request')
    ids.bytes('span', 8)
    const next = ids.uuid('token')
    expect([first, next].map((id) => id.slice(-2))).toEqual(['01', '02'])
    expect(first).not.toBe(seededIds('42').uuid('request'))
  })

  it('with a seed have the form of others', () => {
    useSeed('42')
    const universes = Array.from({ length: 1100 }, makeUniverseId)
    expect(universes.every(isUniverseId)).toBe(true)
    expect(new Set(universes).size).toBe(1100)
    const salts = Array.from({ length: 1100 }, makeSalt)
    expect(new Set(salts).size).toBe(1100)
    expect(salts.every((salt) => /^[89ab][0-9a-f]{15}$/.test(salt))).toBe(true)
    expect(newIdBytes('span', 8).toHex()).toBe('87e3858300000001')
  })

  it('of events contain no time with a seed', () => {
    const idAt = (time: number) => parseEventId(makeEventId({ time, index: 0, salt: 'a000000000000005' }))
    expect(idAt(1_700_000_000_000)?.time).toBe(1_700_000_000_000)
    useSeed('42')
    expect(idAt(1_700_000_000_000)).toEqual({ time: 0, index: 0, salt: 'a000000000000005' })
  })
})
