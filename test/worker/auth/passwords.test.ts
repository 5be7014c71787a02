import { pbkdf2Sync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hashPassword, isHashOutdated, verifyPassword } from '../../../src/auth/passwords.ts'

describe('a stored password', () => {
  it('is matched by itself and by nothing else', async () => {
    const stored = await hashPassword('correct horse', 1000)
    expect(await verifyPassword('correct horse', stored, 1000)).toBe(true)
    for (const wrong of ['Correct horse', 'correct horse ', 'correct hors', '']) {
      expect(await verifyPassword(wrong, stored, 1000)).toBe(false)
    }
  })

  it('has a different hash each time, so that equal passwords do not show', async () => {
    expect(await hashPassword('same', 1000)).not.toBe(await hashPassword('same', 1000))
  })

  it('is not truncated: passwords that differ after 72 bytes differ', async () => {
    const stored = await hashPassword(`${'x'.repeat(72)}a`, 1000)
    expect(await verifyPassword(`${'x'.repeat(72)}b`, stored, 1000)).toBe(false)
  })

  it.each([100_000, 100_001, 250_000])(
    'is the chain of calls that its format states, at %i iterations',
    async (iterations) => {
      const stored = await hashPassword('pässword 🪐', iterations)
      const [, scheme, cost, salt = '', key] = stored.split('$')
      expect([scheme, cost]).toEqual(['pbkdf2-sha256-chain', `i=${iterations}`])
      let expected: string | Buffer = 'pässword 🪐'
      for (let left = iterations; left > 0; left -= 100_000) {
        expected = pbkdf2Sync(expected, Buffer.from(salt, 'base64'), Math.min(left, 100_000), 32, 'sha256')
      }
      expect(expected.toString('base64')).toBe(key)
    },
  )

  it('still matches if the cost is raised, and is then outdated', async () => {
    const stored = await hashPassword('secret', 10)
    expect(await verifyPassword('secret', stored, 1000)).toBe(true)
    expect([isHashOutdated(stored, 1000), isHashOutdated(stored, 10)]).toEqual([true, false])
  })

  it('of no account never matches', async () => {
    expect(await verifyPassword('', null, 10)).toBe(false)
  })

  it('in an unknown format is an error, not a wrong password', async () => {
    await expect(verifyPassword('secret', '$argon2id$x$y$z', 10)).rejects.toThrow('unknown kind')
  })
})
