import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'

// What web-crypto.ts needs where the browser has no Web Crypto. Only pages over http load this file.

/** The SHA-256 of bytes (FIPS 180-4). */
export const hash = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(sha256(bytes)).buffer

/** The HMAC of bytes with SHA-256 (RFC 2104). */
export const authenticate = (key: Uint8Array, bytes: Uint8Array): ArrayBuffer =>
  new Uint8Array(hmac(sha256, key, bytes)).buffer
