// The ids of what the service creates. They are random, so that no two are the same and nobody can guess one. A service
// with a seed (`npm start -- --seed`) makes the same ids in each run, for tests that compare whole responses.
//
// An id identifies something, but proves nothing. Secrets (keys, codes, tokens, salts of passwords) are random in every
// service, and are not created here.

/** The kinds of ids. Append new kinds at the end, because the index of a kind is a part of its seeded ids. */
const KINDS = [
  'request',
  'token',
  'grant',
  'client',
  'image',
  'inbox',
  'message',
  'subscription',
  'correlation',
  'event',
  'universe',
  'span',
  'labRun',
  'observations',
  'check',
] as const

export type IdKind = (typeof KINDS)[number]

export const SEED_FORM = /^[\w.-]{1,64}$/

export interface IdSource {
  /** A UUID of version 4 (RFC 9562, section 5.4). */
  uuid(kind: IdKind): string
  /** The bytes of an id that is not a UUID, at least four. */
  bytes(kind: IdKind, length: number): Uint8Array<ArrayBuffer>
}

const RANDOM: IdSource = {
  uuid: () => crypto.randomUUID(),
  bytes: (_kind, length) => crypto.getRandomValues(new Uint8Array(length)),
}

/**
 * A source that makes the same ids for the same seed. An id contains a hash of the seed, and a number that counts the
 * ids of its kind, from 1. Each kind has its own count, so background work does not change the ids in responses.
 */
export function seededIds(seed: string): IdSource {
  const counts = new Map<IdKind, number>()
  const hash = hashOf(seed)
  const next = (kind: IdKind) => {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return count
  }
  return {
    // The digits 4 and 8 are the version and the variant of the UUID.
    uuid: (kind) => `${hex(hash, 8)}-${hex(KINDS.indexOf(kind), 4)}-4000-8000-${hex(next(kind), 12)}`,
    // The hash is in the first four bytes, and the number in the last four. In an id of less than eight bytes, the two
    // overlap. So the number is added to what is already there.
    bytes(kind, length) {
      const bytes = new Uint8Array(length)
      const view = new DataView(bytes.buffer)
      view.setUint32(0, hash)
      view.setUint32(length - 4, (view.getUint32(length - 4) + next(kind)) % 2 ** 32)
      return bytes
    },
  }
}

const FNV_OFFSET_BASIS = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** The hash FNV-1a with 32 bits. It makes different ids for different seeds. */
function hashOf(text: string): number {
  let hash = FNV_OFFSET_BASIS
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0
  return hash
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

let source = RANDOM
let isSeeded = false

/** Sets the seed of the ids of this service. If it is undefined, ids are random. */
export function useSeed(seed: string | undefined): void {
  source = seed === undefined ? RANDOM : seededIds(seed)
  isSeeded = seed !== undefined
}

/** Whether the ids of this service come from a seed. */
export const hasSeed = (): boolean => isSeeded

export const newUuid = (kind: IdKind): string => source.uuid(kind)

/** Creates the bytes of an id that is not a UUID. */
export const newIdBytes = (kind: IdKind, length: number): Uint8Array<ArrayBuffer> => source.bytes(kind, length)

const BASE32_BITS = 120
const BITS_PER_DIGIT = 5
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/**
 * Creates an id of 24 characters that is part of an address: 120 bits in the alphabet of base32 (RFC 4648, section 6),
 * in lower case.
 */
export function newBase32(kind: IdKind): string {
  const number = BigInt(`0x${newIdBytes(kind, BASE32_BITS / 8).toHex()}`)
  // JavaScript writes numbers in base 32 with the digits 0-9 and a-v. Each digit is replaced with a letter of base32.
  const digits = number.toString(ALPHABET.length).padStart(BASE32_BITS / BITS_PER_DIGIT, '0')
  return digits.replace(/./g, (digit) => ALPHABET[parseInt(digit, ALPHABET.length)] ?? '')
}
