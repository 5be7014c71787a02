import { PURPOSES } from '../../auth/purposes.ts'
import { LostRace } from '../../changes/requirements.ts'
import type { Database } from '../../db/port.ts'
import { type Fault, ProblemError } from '../../domain/problems.ts'
import { callTargetOf } from '../../domain/target-host.ts'
import { findTargetFaults } from '../../http/body/callback-urls.ts'
import { invalidBody } from '../../http/body/reader.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import { membersOf } from '../../lib/objects.ts'
import type { ReceiverAuth } from '../../schemas/receiver-auth.ts'
import type { WebhookPatch } from '../../schemas/webhook.ts'
import { type StoredWebhook, updateWebhook, type WebhookChange } from '../../stores/webhooks.ts'
import { requireWebhook } from './access.ts'
import { REFUSALS } from './refusals.ts'

/** The faults of the receiver's URL, and of the URLs from which the service gets tokens for the receiver. */
export function findWebhookFaults(sentBody: unknown, context: RequestContext): Fault[] {
  // `membersOf` accepts any value. The schema reports a value that is not an object.
  const { url, auth } = membersOf(sentBody)
  const { tokenUrl, issuer } = membersOf(auth)
  return findTargetFaults({ '/url': url, '/auth/tokenUrl': tokenUrl, '/auth/issuer': issuer }, context)
}

type StoredAuth = Pick<StoredWebhook, 'authScheme' | 'auth'>

/** The credentials for a receiver as they are stored: encrypted, with the scheme beside them in plain text. */
export async function sealAuth(
  auth: ReceiverAuth | null,
  userId: number,
  { services: { vault } }: RequestContext,
): Promise<StoredAuth> {
  if (!auth) return { authScheme: null, auth: null }
  return { authScheme: auth.scheme, auth: await vault.seal(JSON.stringify(auth), PURPOSES.webhookAuth(userId)) }
}

/**
 * @throws ProblemError 400 if `auth` must be sent again; 404 if the subscription was deleted meanwhile; 409 if the user
 * has another subscription to the new URL, or if the subscription kept changing
 */
export async function changeWebhook(
  read: StoredWebhook,
  patch: WebhookPatch,
  context: RequestContext,
): Promise<StoredWebhook> {
  const { session, now } = context
  const { userId, id } = read
  requireAuthForNewOrigin(patch, read)
  const change = await changeOf(patch, userId, context)
  // An SQL update must set at least one column.
  if (Object.keys(change).length === 0) return read
  // `requireAuthForNewOrigin` has checked only the URL and the credentials that were read.
  const requiresSameTarget = patch.url !== undefined && patch.auth === undefined
  const write = async (before: StoredWebhook) => {
    // After a lost race, `before` can have another URL than `read`.
    requireAuthForNewOrigin(patch, before)
    const updated = await updateWebhook(session, before, change, requiresSameTarget, now)
    if (updated === 'duplicate') throw new ProblemError('conflict', REFUSALS[updated])
    // Undefined means that the subscription is not as it was read, so it is read again.
    if (!updated) throw new LostRace()
    return updated
  }
  const reread = (db: Database) => requireWebhook(db, userId, id)
  return await writeWhatWasRead({ resource: `webhook ${id}`, read, isConditional: false, write, reread }, context)
}

async function changeOf(patch: WebhookPatch, userId: number, context: RequestContext): Promise<WebhookChange> {
  const { url, events, auth, status } = patch
  return {
    ...(url !== undefined && (await callTargetOf(url, context.baseUrl, context.services))),
    ...(events && { events }),
    ...(auth !== undefined && (await sealAuth(auth, userId, context))),
    ...(status && { status }),
  }
}

/**
 * Rejects a patch that would send the stored credentials to another receiver.
 *
 * @throws ProblemError 400
 */
function requireAuthForNewOrigin(patch: WebhookPatch, stored: StoredWebhook): void {
  const { url, auth } = patch
  if (url === undefined || auth !== undefined || stored.authScheme === null) return
  if (new URL(url).origin === new URL(stored.url).origin) return
  throw invalidBody([
    { pointer: '/auth', detail: 'must be sent again, or set to null, because the new URL has another origin' },
  ])
}
