import { makeMessageId } from '../../changes/outbox.ts'
import type { Defect } from '../../domain/receiver-tests.ts'
import { writeSignedBody, writeTestBody } from '../../domain/test-body.ts'
import { makeOtherKey } from '../../domain/webhook-keys.ts'
import { encodeText } from '../../lib/bytes.ts'
import { secondsOf } from '../../lib/time.ts'
import type { Job, TestOfJob } from './job.ts'
import { type Signatures, type SignedDraft, signDraft } from './signed-draft.ts'

/** Beyond the tolerance of receivers, in milliseconds. */
const FAR_MS = 10 * 60 * 1000
/** So many characters that no other signature begins like this by chance. */
const TRUNCATED_LENGTH = 16

/** How a right call is made wrong, or unusual. */
type Change = (right: SignedDraft, job: Job) => SignedDraft | Promise<SignedDraft>

/** Registry: what happens to a call after it was signed. Other tests differ in what is signed, or not at all. */
const CHANGES: Partial<Record<Defect, Change>> = {
  'second-signature': (right) => {
    const [version, signature = ''] = splitSignature(right)
    const other = crypto.getRandomValues(new Uint8Array(Uint8Array.fromBase64(signature).byteLength)).toBase64()
    return withSignatures(right, { webhook: `${version},${other} ${right.signatures.webhook}` })
  },
  unsigned: (right) => withSignatures(right, { x: undefined, webhook: undefined }),
  'wrong-secret': async ({ head, body }, { secrets }) => await signDraft([await makeOtherKey(secrets[0])], head, body),
  'body-changed': (right, { body }) => ({ ...right, body: encodeText(writeTestBody('body-changed', body)) }),
  'id-changed': (right, { event }) => ({ ...right, head: { ...right.head, id: makeMessageId(event) } }),
  'time-changed': (right) => ({ ...right, head: { ...right.head, timestamp: right.head.timestamp + 1 } }),
  hex: (right) => mapSignatures(right, (base64) => Uint8Array.fromBase64(base64).toHex()),
  truncated: (right) => mapSignatures(right, (base64) => base64.slice(0, TRUNCATED_LENGTH)),
  'unknown-version': (right) => withSignatures(right, { x: undefined, webhook: `v2,${splitSignature(right)[1]}` }),
}

/** The call of a test, as it is sent. */
export async function writeDefectiveCall(
  job: Job,
  { defect, firstCallAt }: TestOfJob,
  now: Date,
): Promise<SignedDraft> {
  const head = { id: job.messageId, timestamp: secondsOf(timeOf(defect, firstCallAt, now)) }
  const right = await signDraft(job.secrets, head, encodeText(writeSignedBody(defect, job.body)))
  return (await CHANGES[defect]?.(right, job)) ?? right
}

/** The time that a call names. The same time makes the same signatures, so the second call of `replayed` is the first. */
function timeOf(defect: Defect, firstCallAt: Date | null, now: Date): Date {
  if (defect === 'replayed') return firstCallAt ?? now
  if (defect === 'stale') return new Date(now.getTime() - FAR_MS)
  return defect === 'future' ? new Date(now.getTime() + FAR_MS) : now
}

function withSignatures(draft: SignedDraft, changed: Partial<Signatures>): SignedDraft {
  return { ...draft, signatures: { ...draft.signatures, ...changed } }
}

/** Changes the base64 of both signatures. */
function mapSignatures(draft: SignedDraft, change: (base64: string) => string): SignedDraft {
  const [version, signature = ''] = splitSignature(draft)
  const { x } = draft.signatures
  return withSignatures(draft, { x: x === undefined ? x : change(x), webhook: `${version},${change(signature)}` })
}

/** The version and the base64 of `webhook-signature`. A subscription has one key, so there is one signature. */
function splitSignature({ signatures }: SignedDraft): readonly string[] {
  return signatures.webhook?.split(',') ?? []
}
