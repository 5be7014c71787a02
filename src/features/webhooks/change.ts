import { PURPOSES } from '../../auth/signing-secrets.ts'
import type { Database } from '../../db/client.ts'
import { type Fault, ProblemError } from '../../domain/problems.ts'
import { findTargetFaults } from '../../http/body/callback-urls.ts'
import { invalidBody } from '../../http/body/reader.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import type { ReceiverAuth } from '../../schemas/receiver-auth.ts'
import type { WebhookPatch } from '../../schemas/webhook.ts'
import { findWebhook, type StoredWebhook, updateWebhook, type WebhookChange } from '../../stores/webhooks.ts'
import { requireOwn } from './access.ts'
import { REFUSALS } from './refusals.ts'

/** What is wrong with the URLs that a subscription would have called: its own, and those that tokens come from. */
export function findWebhookFaults(sent: unknown, context: RequestContext): Fault[] {
  const { url, auth } = Object(sent)
  const { tokenUrl, issuer } = Object(auth)
  return findTargetFaults({ '/url': url, '/auth/tokenUrl': tokenUrl, '/auth/issuer': issuer }, context)
}

type StoredAuth = Pick<StoredWebhook, 'authScheme' | 'auth'>

/** How a receiver wants to be called, as it is stored: the scheme in the open, the credentials sealed. */
export async function sealAuth(
  auth: ReceiverAuth | null,
  userId: number,
  { services: { vault } }: RequestContext,
): Promise<StoredAuth> {
  if (!auth) return { authScheme: null, auth: null }
  return { authScheme: auth.scheme, auth: await vault.seal(JSON.stringify(auth), PURPOSES.webhookAuth(userId)) }
}

/**
 * Changes what a request names of a subscription.
 *
 * @throws ProblemError 400, 404, 409
 */
export async function changeWebhook(
  read: StoredWebhook,
  patch: WebhookPatch,
  context: RequestContext,
): Promise<StoredWebhook> {
  const { session, now } = context
  const { userId, id } = read
  requireOwnAuth(patch, read)
  const change = await changeOf(patch, userId, context)
  // An update has to set something.
  if (Object.keys(change).length === 0) return read
  const write = async (before: StoredWebhook) => {
    requireOwnAuth(patch, before)
    const stored = await updateWebhook(session.db, before, change, keepsAuth(patch), now)
    if (stored === 'duplicate') throw new ProblemError('conflict', REFUSALS[stored])
    return stored ?? 'changed'
  }
  const reread = async (db: Database) => requireOwn(await findWebhook(db, userId, id))
  return await writeWhatWasRead({ read, isConditional: false, write, reread }, context)
}

/** What a request changes of a subscription. */
async function changeOf(patch: WebhookPatch, userId: number, context: RequestContext): Promise<WebhookChange> {
  const { url, events, auth, status } = patch
  return {
    ...(url !== undefined && { url, origin: context.baseUrl }),
    ...(events && { events }),
    ...(auth !== undefined && (await sealAuth(auth, userId, context))),
    ...(status && { status }),
  }
}

/** Whether a subscription moves to another URL with the credentials that it has. */
function keepsAuth({ url, auth }: WebhookPatch): boolean {
  return url !== undefined && auth === undefined
}

/**
 * Credentials are for the receiver that they were given for: if a subscription moves to another, they have to be given
 * again, or taken away.
 *
 * @throws ProblemError 400
 */
function requireOwnAuth(patch: WebhookPatch, stored: StoredWebhook): void {
  const { url } = patch
  if (url === undefined || !keepsAuth(patch) || stored.authScheme === null) return
  if (new URL(url).origin === new URL(stored.url).origin) return
  throw invalidBody([
    { pointer: '/auth', detail: 'must be sent again, or set to null, if the new URL has another origin' },
  ])
}
