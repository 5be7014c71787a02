// Signatures of what the service sends: an HMAC with SHA-256 over the exact bytes of the body (`x-signature`), and beside
// it that of Standard Webhooks (https://www.standardwebhooks.com), which covers id and time too. The two keys differ, and
// no body of ours begins like an id: so neither signature can ever pass for the other.

/** Names the event of every call that the service makes. */
export const EVENT_HEADER = 'x-galaxy-event'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32
/** How far the time of a message may be from the reader's clock. */
export const TOLERANCE_SECONDS = 5 * 60

/** Signatures that are looked at: each costs a pass over the body, and a stranger may send thousands. */
const CANDIDATES_MAX = 10

export type Bytes = Uint8Array<ArrayBuffer>

/** A new secret: `whsec_` and the base64 of 32 random bytes. */
export function makeSigningSecret(): string {
  return PREFIX + crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64()
}

/**
 * The value of `x-signature`: base64(HMAC-SHA256(secret, body)), the key being the UTF-8 bytes of the secret as it is
 * written, `whsec_` included.
 */
export async function signBody(secret: string, body: Bytes): Promise<string> {
  return (await sign(encodeText(secret), body)).toBase64()
}

/** What Standard Webhooks signs besides the body. */
export interface MessageHead {
  id: string
  /** Seconds since 1970. */
  timestamp: number
}

/**
 * The value of `webhook-signature`: a signature `v1,…` of `id.timestamp.body` for each secret, the first by the newest.
 * The key is what the part after `whsec_` decodes to.
 */
export async function signMessage(secrets: readonly string[], head: MessageHead, body: Bytes): Promise<string> {
  const content = signedContent(head, body)
  const signatures = secrets.map(async (secret) => `v1,${(await sign(keyOf(secret), content)).toBase64()}`)
  return (await Promise.all(signatures)).join(' ')
}

/** Whether a value of `x-signature` is one of the body by one of the secrets. */
export async function verifyBody(secrets: readonly string[], signature: string, body: Bytes): Promise<boolean> {
  const keys = secrets.map(encodeText)
  return await verifiesByOne(keys, [signature], body)
}

/** Whether a value of `webhook-signature` is one of the message by one of the secrets, and the message is of our time. */
export async function verifyMessage(
  secrets: readonly string[],
  signature: string,
  head: MessageHead,
  body: Bytes,
  now: Date,
): Promise<boolean> {
  // A timestamp that is no number is never near.
  if (!(Math.abs(now.getTime() / 1000 - head.timestamp) <= TOLERANCE_SECONDS)) return false
  const parts = signature.split(' ').slice(0, CANDIDATES_MAX)
  const candidates = parts.flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []))
  return await verifiesByOne(secrets.map(keyOf), candidates, signedContent(head, body))
}

function signedContent({ id, timestamp }: MessageHead, body: Bytes): Bytes {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(head.byteLength + body.byteLength)
  content.set(head)
  content.set(body, head.byteLength)
  return content
}

function encodeText(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text))
}

function keyOf(secret: string): Bytes {
  return Uint8Array.fromBase64(secret.slice(PREFIX.length))
}

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

async function sign(key: Bytes, content: Bytes): Promise<Bytes> {
  const imported = await crypto.subtle.importKey('raw', key, ALGORITHM, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, content))
}

/** By Web Crypto, which compares in constant time. */
async function verifiesByOne(keys: readonly Bytes[], signatures: readonly string[], content: Bytes): Promise<boolean> {
  for (const key of keys) {
    const imported = await crypto.subtle.importKey('raw', key, ALGORITHM, false, ['verify'])
    for (const signature of signatures) {
      const bytes = decodeBase64(signature)
      if (bytes && (await crypto.subtle.verify('HMAC', imported, bytes, content))) return true
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
