import { PURPOSES } from '../../auth/purposes.ts'
import { openSecrets } from '../../auth/signing-secrets.ts'
import { type Database, openSession } from '../../db/port.ts'
import { ProblemError } from '../../domain/problems.ts'
import { splitInboxPath } from '../../domain/url-guard.ts'
import { verifyBody, verifyMessage } from '../../domain/webhook-signature.ts'
import type { Bytes } from '../../lib/bytes.ts'
import { mayHaveBody, withoutPlatformHeaders } from '../../lib/http.ts'
import { readWhole } from '../../lib/read-stream.ts'
import { decodeUtf8, findUnserialisable, replaceUnserialisable } from '../../lib/text.ts'
import type { RecordedRequest, SignatureVerdict } from '../../schemas/inbox.ts'
import type { Services } from '../../services.ts'
import { selectDeliveryByMessage } from '../../stores/callbacks/delivery-log.ts'
import { insertInboxRequest, type StoredInbox, selectInbox } from '../../stores/inboxes.ts'

/** Bytes of a request's body that an inbox stores. Signatures are verified over the whole body. */
const STORED_MAX_BYTES = 8 * 1024
/** Bytes of a request's body that an inbox accepts: more than any callback has. */
const ACCEPTED_MAX_BYTES = 2 * 1024 * 1024
/** Characters of all stored headers, names and values together. */
const HEADERS_MAX = 8 * 1024
/** Number of stored headers. It is limited too, because each takes about 25 bytes more in JSON than its characters. */
const HEADERS_MAX_COUNT = 100
/** Characters of the stored path. */
const PATH_MAX = 2048
/**
 * Headers with credentials that browsers add automatically. An inbox stores them only if this service makes the call.
 * Otherwise, the user of the inbox could make other people open its URL, and read their credentials in the inbox.
 */
const AMBIENT_HEADERS = /^(?:authorization|cookie|proxy-authorization)$/

/**
 * Stores a request to an inbox, with the verdict on its signatures, and returns the response that the user has set.
 *
 * @param isFromThisService Whether this service makes the call. If so, the credentials were set for this inbox, so they
 * are stored
 * @returns Undefined if the inbox does not exist, or was deleted before the whole request arrived
 * @throws ProblemError 413 if the body is larger than `ACCEPTED_MAX_BYTES`
 */
export async function receiveInInbox(
  request: Request,
  services: Services,
  { isFromThisService }: { isFromThisService: boolean },
): Promise<Response | undefined> {
  const { pathname, search } = new URL(request.url)
  const { inboxId, path } = splitInboxPath(pathname)
  const session = openSession(services, 'first-primary')
  const { db } = session
  const now = services.now()
  const [inbox] = await db.read(selectInbox(inboxId, now))
  if (!inbox) return undefined
  const body = await readWhole(request.body, ACCEPTED_MAX_BYTES)
  if (!body) throw new ProblemError('content-too-large', `An inbox accepts at most ${ACCEPTED_MAX_BYTES} bytes.`)
  const record: RecordedRequest = {
    method: request.method,
    path: replaceUnserialisable(path + search).slice(0, PATH_MAX),
    headers: recordedHeaders(request, isFromThisService),
    ...writeBody(body.subarray(0, STORED_MAX_BYTES), body.byteLength > STORED_MAX_BYTES),
    size: body.byteLength,
    signatures: await verifySignatures(db, request.headers, body, services),
  }
  const isStored = await insertInboxRequest(session, inbox.id, record, now)
  return isStored ? responseOf(inbox) : undefined
}

/**
 * The response that the user of the inbox has set. Anyone may have written its body, so nothing in it may run in
 * a browser: it is sent as plain text in a sandbox.
 */
function responseOf({ status, body }: StoredInbox): Response {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  }
  return mayHaveBody(status) ? new Response(body, { status, headers }) : new Response(null, { status })
}

/** The headers that an inbox stores. A header that exceeds a limit is left out. */
function recordedHeaders(request: Request, isFromThisService: boolean): RecordedRequest['headers'] {
  const recorded: RecordedRequest['headers'] = []
  let recordedLength = 0
  for (const [name, value] of withoutPlatformHeaders(request.headers)) {
    if (!isFromThisService && AMBIENT_HEADERS.test(name)) continue
    const length = name.length + value.length
    if (recordedLength + length > HEADERS_MAX || recorded.length >= HEADERS_MAX_COUNT) continue
    recorded.push({ name, value })
    recordedLength += length
  }
  return recorded
}

/** @param isCut Whether the body was cut, possibly inside a character */
function writeBody(bytes: Bytes, isCut: boolean): Pick<RecordedRequest, 'body' | 'encoding'> {
  const body = decodeUtf8(bytes, isCut)
  // Control characters would be six times as long in JSON, and XML cannot represent them.
  if (body !== undefined && !findUnserialisable(body)) return { body, encoding: 'text' }
  return { body: bytes.toBase64(), encoding: 'base64' }
}

type Signatures = RecordedRequest['signatures']

/**
 * Verifies the signatures of a request with the secrets of the delivery that `webhook-id` names. So an inbox needs no
 * secret of its own.
 */
async function verifySignatures(
  db: Database,
  headers: Headers,
  body: Bytes,
  { vault, now }: Services,
): Promise<Signatures> {
  const xSignature = headers.get('x-signature')
  const webhookSignature = headers.get('webhook-signature')
  const id = headers.get('webhook-id') ?? ''
  const secrets = xSignature || webhookSignature ? await findSecrets(db, id, vault, now()) : undefined
  const head = { id, timestamp: parseTimestamp(headers.get('webhook-timestamp')) }
  return {
    xSignature: await judgeSignature(xSignature, secrets, (signature, keys) => verifyBody(keys, signature, body)),
    webhookSignature: await judgeSignature(webhookSignature, secrets, (signature, keys) =>
      verifyMessage(keys, signature, head, body, now()),
    ),
  }
}

/** @param secrets The secrets that may have signed; undefined if they are unknown */
async function judgeSignature(
  signature: string | null,
  secrets: readonly string[] | undefined,
  verify: (signature: string, secrets: readonly string[]) => Promise<boolean>,
): Promise<SignatureVerdict> {
  if (!signature) return 'absent'
  if (!secrets) return 'unknown'
  return (await verify(signature, secrets)) ? 'valid' : 'invalid'
}

/**
 * The keys that verify the delivery with a message id: secrets, or a public key. Undefined if the delivery or its keys do
 * not exist.
 */
async function findSecrets(
  db: Database,
  messageId: string,
  vault: Services['vault'],
  now: Date,
): Promise<readonly string[] | undefined> {
  const [delivery] = messageId === '' ? [] : await db.read(selectDeliveryByMessage(messageId))
  if (!delivery) return undefined
  const { userId, webhookId, webhook, signingSecret } = delivery
  if (webhook) return [webhook.publicKey ?? (await vault.open(webhook.secret, PURPOSES.webhook(userId)))]
  // The secret of a deleted subscription no longer exists.
  if (webhookId !== null || !signingSecret) return undefined
  return await openSecrets(signingSecret, vault, now)
}

/** Reads a number of whole seconds; NaN if the text is anything else. A number of 15 digits is still exact. */
function parseTimestamp(text: string | null): number {
  return /^[0-9]{1,15}$/.test(text ?? '') ? Number(text) : Number.NaN
}
