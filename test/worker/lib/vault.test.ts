import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CannotOpen, type DataKey, Vault } from '../../../src/lib/vault.ts'
import { aText } from '../../support/texts.ts'

// The stored text is useless without the key, and in any other place.

const PURPOSE = 'webhook-secret/1'

function makeKey(version: string): DataKey {
  return { version, bytes: crypto.getRandomValues(new Uint8Array(32)) }
}

const key = makeKey('1')
const vault = new Vault([key])
const aContent = fc.oneof(aText, fc.json(), fc.string({ minLength: 1000, maxLength: 3000 }))

describe('a sealed text', () => {
  it('opens as the original text, for its purpose', async () => {
    await fc.assert(
      fc.asyncProperty(aContent, aText, async (text, purpose) => {
        expect(await vault.open(await vault.seal(text, purpose), purpose)).toBe(text)
      }),
    )
  })

  it('keeps a byte-order mark at its start', async () => {
    for (const text of ['\uFEFF', '\uFEFFwhsec_', 'whsec_\uFEFF']) {
      expect(await vault.open(await vault.seal(text, PURPOSE), PURPOSE)).toBe(text)
    }
  })

  it('cannot be opened if its parts are not base64url', async () => {
    const [version, iv, content] = (await vault.seal('secret', PURPOSE)).split('.')
    for (const broken of [`${version}.*.${content}`, `${version}.${iv}.*`, `${version}..`, `${version}`]) {
      await expect(vault.open(broken, PURPOSE)).rejects.toThrow(CannotOpen)
    }
  })

  it('opens for no other purpose', async () => {
    await fc.assert(
      fc.asyncProperty(aContent, aText, aText, async (text, purpose, other) => {
        fc.pre(purpose !== other)
        await expect(vault.open(await vault.seal(text, purpose), other)).rejects.toThrow()
      }),
    )
    const sealed = await vault.seal('secret', PURPOSE)
    for (const other of ['', 'webhook-secret/2', 'webhook-secret/11', 'webhook-auth/1', 'webhook-secret/1 ']) {
      await expect(vault.open(sealed, other)).rejects.toThrow()
    }
  })

  it('is the version of its key, and two parts that are safe in a URL', async () => {
    await fc.assert(
      fc.asyncProperty(aContent, async (text) => {
        const sealed = await vault.seal(text, PURPOSE)
        expect(sealed).toMatch(/^1\.[\w-]{16}\.[\w-]{22,}$/)
        const [, iv = '', content = ''] = sealed.split('.')
        const size = new TextEncoder().encode(text).byteLength
        expect(Uint8Array.fromBase64(iv, { alphabet: 'base64url' })).toHaveLength(12)
        // The 16 bytes at its end authenticate it.
        expect(Uint8Array.fromBase64(content, { alphabet: 'base64url' })).toHaveLength(size + 16)
      }),
    )
  })

  it('differs each time, so that equal secrets do not show', async () => {
    const sealed = await Promise.all(Array.from({ length: 200 }, () => vault.seal('the same', PURPOSE)))
    expect(new Set(sealed.map((one) => one.split('.')[1])).size).toBe(200)
    expect(new Set(sealed.map((one) => one.split('.')[2])).size).toBe(200)
  })

  it('does not contain the text', async () => {
    const text = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
    const [, , content = ''] = (await vault.seal(text, PURPOSE)).split('.')
    const bytes = Uint8Array.fromBase64(content, { alphabet: 'base64url' })
    expect(new TextDecoder().decode(bytes)).not.toContain('whsec_')
    expect(content).not.toContain('whsec_')
  })
})

/** The same with one bit of one byte changed, in the given part. */
function change(sealed: string, part: 1 | 2, place: number): string {
  const parts = sealed.split('.')
  const bytes = Uint8Array.fromBase64(parts[part] ?? '', { alphabet: 'base64url' })
  const index = place % bytes.length
  bytes[index] = (bytes[index] ?? 0) ^ (1 << (place % 8))
  return parts.with(part, bytes.toBase64({ alphabet: 'base64url', omitPadding: true })).join('.')
}

describe('a changed text does not open', () => {
  it.each([1, 2] as const)('if one bit of part %i differs', async (part) => {
    await fc.assert(
      fc.asyncProperty(aContent, fc.nat(), async (text, place) => {
        const sealed = await vault.seal(text, PURPOSE)
        await expect(vault.open(change(sealed, part, place), PURPOSE)).rejects.toThrow()
      }),
    )
  })

  it('if the parts are those of two texts', async () => {
    const [first, second] = [await vault.seal('first', PURPOSE), await vault.seal('second', PURPOSE)]
    const [version, iv] = first.split('.')
    await expect(vault.open([version, iv, second.split('.')[2]].join('.'), PURPOSE)).rejects.toThrow()
  })

  it('if its end is missing', async () => {
    const sealed = await vault.seal('secret', PURPOSE)
    await expect(vault.open(sealed.slice(0, -4), PURPOSE)).rejects.toThrow()
  })

  it.each(['', '1', '1.', '1..', '.', '..', '1.AAAA.AAAA', '1.%.%', 'secret', '{"scheme":"bearerAuth"}'])(
    'if it is malformed: %j',
    async (sealed) => {
      await expect(vault.open(sealed, PURPOSE)).rejects.toThrow()
    },
  )
})

describe('with several keys', () => {
  it('the first seals, and older ones still open what they sealed', async () => {
    const old = await vault.seal('old', PURPOSE)
    const rotated = new Vault([makeKey('2'), key])
    const sealed = await rotated.seal('new', PURPOSE)
    expect(sealed).toMatch(/^2\./)
    expect(await rotated.open(old, PURPOSE)).toBe('old')
    expect(await rotated.open(sealed, PURPOSE)).toBe('new')
  })

  it('a removed key opens nothing any more, and the error names the key, but not the text', async () => {
    const sealed = await vault.seal('old', PURPOSE)
    const without = new Vault([makeKey('2')])
    await expect(without.open(sealed, PURPOSE)).rejects.toThrow(/^there is no key with the version 1$/)
  })

  it('another key of the same version opens nothing', async () => {
    const sealed = await vault.seal('secret', PURPOSE)
    await expect(new Vault([makeKey('1')]).open(sealed, PURPOSE)).rejects.toThrow()
  })

  it('each opens only its own version', async () => {
    const rotated = new Vault([makeKey('2'), key])
    const sealed = await vault.seal('secret', PURPOSE)
    await expect(rotated.open(sealed.replace(/^1/, '2'), PURPOSE)).rejects.toThrow()
    await expect(rotated.open(sealed.replace(/^1/, '11'), PURPOSE)).rejects.toThrow('version 11')
  })
})
