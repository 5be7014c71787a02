import { EVENT_HEADER, EVENT_ID_HEADER } from '../../domain/webhook-signature.ts'
import { type Bytes, encodeText } from '../../lib/bytes.ts'
import { secondsOf } from '../../lib/time.ts'
import { writeDefectiveCall } from './defective-call.ts'
import type { Job } from './job.ts'
import { signDraft } from './signed-draft.ts'

/** What is sent to a receiver, without its credentials. */
interface SignedCall {
  headers: Record<string, string>
  body: Bytes
  /** The signatures in the headers, without their versions. */
  signatures: readonly string[]
}

/** Signs a call, or writes that of a test. The timestamp and `webhook-signature` differ in each attempt. */
export async function signCall(job: Job, now: Date): Promise<SignedCall> {
  const { secrets, messageId, event, liveId, test } = job
  const head = { id: messageId, timestamp: secondsOf(now) }
  const draft = test ? await writeDefectiveCall(job, test, now) : await signDraft(secrets, head, encodeText(job.body))
  const { x, webhook } = draft.signatures
  const headers = {
    'Content-Type': 'application/json',
    [EVENT_HEADER]: event,
    ...(liveId !== null && { [EVENT_ID_HEADER]: liveId }),
    ...(x !== undefined && { 'x-signature': x }),
    'webhook-id': draft.head.id,
    'webhook-timestamp': String(draft.head.timestamp),
    ...(webhook !== undefined && { 'webhook-signature': webhook }),
  }
  const signatures = [
    ...(webhook?.split(' ') ?? []).map((part) => part.slice(part.indexOf(',') + 1)),
    ...(x ? [x] : []),
  ]
  return { headers, body: draft.body, signatures }
}
