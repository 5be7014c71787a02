import { EVENT_HEADER, EVENT_ID_HEADER, signBody, signMessage } from '../../domain/webhook-signature.ts'
import { secondsOf } from '../../lib/time.ts'
import type { Job } from './job.ts'

/** The headers of a call, including its signatures. The timestamp and `webhook-signature` differ in each attempt. */
export async function signedHeaders(
  { messageId, event, liveId, secrets }: Job,
  body: Uint8Array<ArrayBuffer>,
  now: Date,
): Promise<Record<string, string>> {
  const timestamp = secondsOf(now)
  // `x-signature` has room for one signature only. `webhook-signature` has one for each secret.
  const [newestSecret] = secrets
  const [xSignature, webhookSignature] = await Promise.all([
    signBody(newestSecret, body),
    signMessage(secrets, { id: messageId, timestamp }, body),
  ])
  return {
    'Content-Type': 'application/json',
    [EVENT_HEADER]: event,
    ...(liveId !== null && { [EVENT_ID_HEADER]: liveId }),
    'x-signature': xSignature,
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature,
  }
}
