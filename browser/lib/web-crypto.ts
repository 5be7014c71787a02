// Browsers have `crypto.subtle` only in secure contexts: at https, and at http on localhost
// (https://w3c.github.io/webcrypto, section 10). A service in a container or in a local network is neither.

/**
 * Gives a page that is no secure context the part of `crypto.subtle` that pages use: SHA-256 for the sign-in of the API
 * reference (RFC 7636), and HMAC with SHA-256 for the signatures of the tour. What it computes is the same. Elsewhere,
 * it changes nothing.
 */
export function provideWebCrypto(): void {
  if (!crypto.subtle) Object.defineProperty(crypto, 'subtle', { value: SUBSTITUTE })
}

const loadSha256 = () => import('./sha-256.ts')

const SUBSTITUTE = {
  async digest(algorithm: unknown, bytes: Uint8Array) {
    if (algorithm !== 'SHA-256') throw new DOMException('Only SHA-256 is available over http.', 'NotSupportedError')
    const { hash } = await loadSha256()
    return hash(bytes)
  },

  /** The key for `sign`. */
  async importKey(format: unknown, key: Uint8Array, algorithm: { name?: unknown; hash?: unknown }) {
    if (format !== 'raw' || algorithm.name !== 'HMAC' || algorithm.hash !== 'SHA-256')
      throw new DOMException('Only keys for HMAC with SHA-256 are available over http.', 'NotSupportedError')
    return key
  },

  async sign(_algorithm: unknown, key: Uint8Array, bytes: Uint8Array) {
    const { authenticate } = await loadSha256()
    return authenticate(key, bytes)
  },
}
