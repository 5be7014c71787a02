import { describe, expect, it } from 'vitest'
import { decodeUnreserved } from '../../../src/lib/uri-path.ts'

const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'
const codeOf = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`

describe('a path', () => {
  it('is the same with each ASCII character encoded if and only if the character is unreserved', () => {
    for (let code = 0; code < 128; code++) {
      const character = String.fromCharCode(code)
      const encoded = codeOf(character)
      for (const path of [`/a${encoded}b`, `/a${encoded.toUpperCase()}b`]) {
        expect(decodeUnreserved(path)).toBe(UNRESERVED.includes(character) ? `/a${character}b` : path)
      }
    }
  })

  it.each(['/%2565vents', '/%e2%80%a8', '/%6', '/%', '/%zz', '/a/b'])('%s stays as it is', (path) => {
    expect(decodeUnreserved(path)).toBe(path)
  })
})
