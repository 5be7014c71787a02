// Signatures of callbacks: an HMAC with SHA-256 over the exact bytes of the body (`x-signature`), and the signature of
// Standard Webhooks (https://www.standardwebhooks.com), which also covers the id and the time. A signature of one kind
// is never valid as the other kind. Their keys differ. Their signed texts differ too: Standard Webhooks signs a text
// that begins with the id of the message, and no body that the service sends begins like an id.

/** The header with the name of the event, in every callback. */
export const EVENT_HEADER = 'x-galaxy-event'
/** The header with the id of the event that a call reports, if the event is in the log. */
export const EVENT_ID_HEADER = 'x-galaxy-event-id'

export const PREFIX = 'whsec_'
const SECRET_BYTES = 32
/** Before each signature of Standard Webhooks. It says that the signature is an HMAC with SHA-256. */
const SIGNATURE_VERSION = 'v1,'
/** Maximum difference between the time of a message and the receiver's clock. */
const TOLERANCE_SECONDS = 5 * 60

/**
 * Maximum number of signatures that are checked. A sender may send thousands, and each check reads the whole body.
 */
const CANDIDATES_MAX = 10

export type Bytes = Uint8Array<ArrayBuffer>

/** Creates a secret: `whsec_` and the base64 of 32 random bytes. */
export function makeSigningSecret(): string {
  return PREFIX + crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64()
}

/**
 * The value of `x-signature`: base64(HMAC-SHA256(secret, body)). The key is the whole secret in UTF-8, including
 * `whsec_`.
 */
export async function signBody(secret: string, body: Bytes): Promise<string> {
  return (await sign(encodeText(secret), body)).toBase64()
}

/** The parts of a message that Standard Webhooks signs besides the body. */
interface MessageHead {
  id: string
  /** Seconds since 1970. */
  timestamp: number
}

/**
 * The value of `webhook-signature`: a signature `v1,…` of `id.timestamp.body` for each secret, separated by spaces, the
 * newest secret first. The key is the decoded base64 after `whsec_`.
 */
export async function signMessage(secrets: readonly string[], head: MessageHead, body: Bytes): Promise<string> {
  const content = signedContent(head, body)
  const signatures = secrets.map(async (secret) => {
    const signature = await sign(keyOf(secret), content)
    return SIGNATURE_VERSION + signature.toBase64()
  })
  return (await Promise.all(signatures)).join(' ')
}

/** Whether a value of `x-signature` is a valid signature of the body with one of the secrets. */
export async function verifyBody(secrets: readonly string[], signature: string, body: Bytes): Promise<boolean> {
  const keys = secrets.map(encodeText)
  return await verifyAny(keys, [signature], body)
}

/**
 * Whether a value of `webhook-signature` has a valid signature of the message with one of the secrets, and the time of
 * the message differs from `now` by at most TOLERANCE_SECONDS.
 */
export async function verifyMessage(
  secrets: readonly string[],
  signature: string,
  head: MessageHead,
  body: Bytes,
  now: Date,
): Promise<boolean> {
  // The comparison is negated, so that a timestamp of NaN is rejected.
  if (!(Math.abs(now.getTime() / 1000 - head.timestamp) <= TOLERANCE_SECONDS)) return false
  const parts = signature.split(' ').slice(0, CANDIDATES_MAX)
  const candidates = parts
    .filter((part) => part.startsWith(SIGNATURE_VERSION))
    .map((part) => part.slice(SIGNATURE_VERSION.length))
  return await verifyAny(secrets.map(keyOf), candidates, signedContent(head, body))
}

function signedContent({ id, timestamp }: MessageHead, body: Bytes): Bytes {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(head.byteLength + body.byteLength)
  content.set(head)
  content.set(body, head.byteLength)
  return content
}

function encodeText(text: string): Bytes {
  // Copied only for the compiler: by its type, the result of `encode` could be shared memory.
  return new Uint8Array(new TextEncoder().encode(text))
}

/** The key of Standard Webhooks: the decoded base64 after the prefix of the secret. */
function keyOf(secret: string): Bytes {
  return Uint8Array.fromBase64(secret.slice(PREFIX.length))
}

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

async function sign(key: Bytes, content: Bytes): Promise<Bytes> {
  const cryptoKey = await crypto.subtle.importKey('raw', key, ALGORITHM, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', cryptoKey, content))
}

/** Whether any signature is valid with any key. Uses Web Crypto, which compares in constant time. */
async function verifyAny(keys: readonly Bytes[], signatures: readonly string[], content: Bytes): Promise<boolean> {
  for (const key of keys) {
    const cryptoKey = await crypto.subtle.importKey('raw', key, ALGORITHM, false, ['verify'])
    for (const signature of signatures) {
      const bytes = decodeBase64(signature)
      if (bytes && (await crypto.subtle.verify('HMAC', cryptoKey, bytes, content))) return true
    }
  }
  return false
}

function decodeBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: 'strict' })
  } catch {
    return undefined
  }
}
