import type { Secrets } from '../../auth/signing-secrets.ts'
import { isSecret } from '../../domain/webhook-keys.ts'
import { type MessageHead, signBody, signMessage } from '../../domain/webhook-signature.ts'
import type { Bytes } from '../../lib/bytes.ts'

/** The parts of a call that its signatures are about. */
export interface SignedDraft {
  head: MessageHead
  body: Bytes
  signatures: Signatures
}

/** The values of the two headers; undefined for a header that is not sent. */
export interface Signatures {
  /** `x-signature`, which has room for one signature only: that of the newest secret. A private key makes none. */
  x: string | undefined
  /** `webhook-signature`, with a signature for each key. */
  webhook: string | undefined
}

export async function signDraft(keys: Secrets, head: MessageHead, body: Bytes): Promise<SignedDraft> {
  const [newest] = keys
  const [x, webhook] = await Promise.all([
    isSecret(newest) ? signBody(newest, body) : undefined,
    signMessage(keys, head, body),
  ])
  return { head, body, signatures: { x, webhook } }
}
