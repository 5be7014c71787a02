import { type Bytes, decodeBase64, encodeText, joinBytes } from '../lib/bytes.ts'
import { isSecret, signHmac, signWith, verifyHmac, verifyWith, versionOf } from './webhook-keys.ts'

// Signatures of callbacks: an HMAC with SHA-256 over the exact bytes of the body (`x-signature`), and the signature of
// Standard Webhooks (https://www.standardwebhooks.com), which also covers the id and the time: an HMAC (`v1`), or Ed25519
// (`v1a`). A signature of one kind is never valid as another kind. Their keys differ. Their signed texts differ too:
// Standard Webhooks signs a text that begins with the id of the message, and no body that the service sends begins like
// an id.

/** The header with the name of the event, in every callback. */
export const EVENT_HEADER = 'x-galaxy-event'
/** The header with the id of the event that a call reports, if the event is in the log. */
export const EVENT_ID_HEADER = 'x-galaxy-event-id'

/** Maximum difference between the time of a message and the receiver's clock. */
export const TOLERANCE_SECONDS = 5 * 60

/**
 * Maximum number of signatures that are checked. A sender may send thousands, and each check reads the whole body.
 */
export const CANDIDATES_MAX = 10

/**
 * The value of `x-signature`: base64(HMAC-SHA256(secret, body)). The key is the whole secret in UTF-8, including
 * `whsec_`.
 */
export async function signBody(secret: string, body: Bytes): Promise<string> {
  return (await signHmac(encodeText(secret), body)).toBase64()
}

/** The parts of a message that Standard Webhooks signs besides the body. */
export interface MessageHead {
  id: string
  /** Seconds since 1970. */
  timestamp: number
}

/**
 * The value of `webhook-signature`: a signature `v1,…` or `v1a,…` of `id.timestamp.body` for each key, separated by
 * spaces, the newest key first.
 *
 * @param keys Secrets (`whsec_`) or private keys (`whsk_`)
 */
export async function signMessage(keys: readonly string[], head: MessageHead, body: Bytes): Promise<string> {
  const content = signedContent(head, body)
  const signatures = keys.map(async (key) => `${versionOf(key)},${(await signWith(key, content)).toBase64()}`)
  return (await Promise.all(signatures)).join(' ')
}

/**
 * Whether a value of `x-signature` is a valid signature of the body with one of the keys. Only a secret can make one: a
 * public key is known to everybody, so what anybody has signed with its text proves nothing.
 */
export async function verifyBody(keys: readonly string[], signature: string, body: Bytes): Promise<boolean> {
  const bytes = decodeBase64(signature)
  if (!bytes) return false
  for (const key of keys.filter(isSecret)) if (await verifyHmac(encodeText(key), bytes, body)) return true
  return false
}

/**
 * Whether a value of `webhook-signature` has a valid signature of the message with one of the keys, and the time of the
 * message differs from `now` by at most TOLERANCE_SECONDS.
 *
 * @param keys Secrets (`whsec_`) or public keys (`whpk_`). Each verifies only signatures of its own version
 */
export async function verifyMessage(
  keys: readonly string[],
  signature: string,
  head: MessageHead,
  body: Bytes,
  now: Date,
): Promise<boolean> {
  // The comparison is negated, so that a timestamp of NaN is rejected.
  if (!(Math.abs(now.getTime() / 1000 - head.timestamp) <= TOLERANCE_SECONDS)) return false
  const parts = signature.split(' ').slice(0, CANDIDATES_MAX)
  const content = signedContent(head, body)
  for (const key of keys) {
    const start = `${versionOf(key)},`
    for (const part of parts.filter((candidate) => candidate.startsWith(start))) {
      const bytes = decodeBase64(part.slice(start.length))
      if (bytes && (await verifyWith(key, bytes, content))) return true
    }
  }
  return false
}

/** What Standard Webhooks signs: `id.timestamp.body`. */
function signedContent({ id, timestamp }: MessageHead, body: Bytes): Bytes {
  return joinBytes([encodeText(`${id}.${timestamp}.`), body])
}
