import type { SigningKey } from '../../src/env.ts'

/** A separate signing key for a test about keys. */
export async function makeSigningKeySet(): Promise<SigningKey> {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  }
  const { privateKey } = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair
  const { n = '', e = '', d = '', ...rest } = (await crypto.subtle.exportKey('jwk', privateKey)) as JsonWebKey
  return { ...rest, n, e, d, kty: 'RSA', kid: crypto.randomUUID() }
}
