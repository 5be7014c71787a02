import { beforeEach, describe, expect, it } from 'vitest'
import { ProvedPasswords } from '../../../src/auth/proved-passwords.ts'

const NOW = new Date('2026-01-15T12:00:00Z')
const later = (milliseconds: number) => new Date(NOW.getTime() + milliseconds)

let memory: ProvedPasswords

beforeEach(() => {
  memory = new ProvedPasswords()
})

describe('a checked password', () => {
  it('is remembered for a minute, to the millisecond', () => {
    memory.end('pair', 'hash', NOW)
    const seen = [0, 59_999, 60_000].map((after) => memory.isProved('pair', 'hash', later(after)))
    expect(seen).toEqual([true, true, false])
  })

  it('is remembered for the hash that it was checked against, and no other', () => {
    memory.end('pair', 'hash', NOW)
    expect(memory.isProved('pair', 'other', NOW)).toBe(false)
    expect(memory.isProved('pair', '', NOW)).toBe(false)
  })

  it('is not remembered if the check failed, and earlier ones stay', () => {
    memory.end('wrong', undefined, NOW)
    expect(memory.isProved('wrong', '', NOW)).toBe(false)
    memory.end('pair', 'hash', NOW)
    memory.end('pair', undefined, NOW)
    expect(memory.isProved('pair', 'hash', NOW)).toBe(true)
  })

  it('is remembered for 1,000 pairs; one more removes the oldest', () => {
    const pairs = Array.from({ length: 1000 }, (_, index) => `pair ${index}`)
    for (const pair of pairs) memory.end(pair, 'hash', NOW)
    const countProved = () => pairs.filter((pair) => memory.isProved(pair, 'hash', NOW)).length
    expect(countProved()).toBe(1000)
    memory.end('one more', 'hash', NOW)
    expect(countProved()).toBe(999)
    expect(memory.isProved('pair 0', 'hash', NOW)).toBe(false)
    expect(memory.isProved('pair 1', 'hash', NOW)).toBe(true)
    expect(memory.isProved('one more', 'hash', NOW)).toBe(true)
  })

  it('becomes the newest when it is checked again, and takes no second place', () => {
    const pairs = Array.from({ length: 1000 }, (_, index) => `pair ${index}`)
    for (const pair of pairs) memory.end(pair, 'hash', NOW)
    memory.end('pair 0', 'new hash', later(30_000))
    expect(pairs.slice(1).every((pair) => memory.isProved(pair, 'hash', NOW))).toBe(true)
    memory.end('one more', 'hash', later(30_000))
    expect(memory.isProved('pair 0', 'new hash', later(89_999))).toBe(true)
    expect(memory.isProved('pair 1', 'hash', NOW)).toBe(false)
  })
})

describe('a check in progress', () => {
  it('is awaited until it ends, whatever its result', () => {
    expect(memory.isBeingProved('pair', NOW)).toBe(false)
    for (const outcome of ['hash', undefined]) {
      memory.begin('pair', NOW)
      expect(memory.isBeingProved('pair', NOW)).toBe(true)
      expect(memory.isBeingProved('other', NOW)).toBe(false)
      memory.end('pair', outcome, NOW)
      expect(memory.isBeingProved('pair', NOW)).toBe(false)
    }
  })

  it('is given up after five seconds, because its request was cut off', () => {
    memory.begin('pair', NOW)
    const seen = [4_999, 5_000].map((after) => memory.isBeingProved('pair', later(after)))
    expect(seen).toEqual([true, false])
  })
})

describe('the key of a remembered pair', () => {
  it('is the same for the same pair, in any case of the e-mail', async () => {
    const one = await memory.fingerprint('ada@galaxy.test', 'secret')
    expect(await memory.fingerprint('ADA@Galaxy.test', 'secret')).toBe(one)
    expect(one).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each([
    ['ada@galaxy.test', 'Secret'],
    ['ada@galaxy.test', 'secret '],
    ['ada@galaxy.test:secret', ''],
    ['ada@galaxy.test","secret', ''],
    ['', 'ada@galaxy.testsecret'],
  ])('is different for %j and %j', async (email, password) => {
    const one = await memory.fingerprint('ada@galaxy.test', 'secret')
    expect(await memory.fingerprint(email, password)).not.toBe(one)
  })

  it('separates e-mail and password unambiguously', async () => {
    expect(await memory.fingerprint('ada', 'b:c')).not.toBe(await memory.fingerprint('ada:b', 'c'))
    expect(await memory.fingerprint('ada', '","b')).not.toBe(await memory.fingerprint('ada","', 'b'))
  })

  it('reveals nothing from the memory without its secret', async () => {
    const one = await memory.fingerprint('ada@galaxy.test', 'secret')
    expect(await new ProvedPasswords().fingerprint('ada@galaxy.test', 'secret')).not.toBe(one)
  })
})
