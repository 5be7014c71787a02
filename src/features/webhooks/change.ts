import { PURPOSES } from '../../auth/signing-secrets.ts'
import { invalidBody } from '../../http/body.ts'
import type { RequestContext } from '../../http/context.ts'
import { findTargetFaults } from '../../http/targets.ts'
import type { Fault } from '../../lib/errors.ts'
import type { ReceiverAuth } from '../../schemas/receiver-auth.ts'
import type { WebhookPatch } from '../../schemas/webhook.ts'
import type { StoredWebhook, WebhookChange } from '../../stores/webhooks.ts'

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

/** What a request changes of a subscription. */
export async function changeOf(patch: WebhookPatch, userId: number, context: RequestContext): Promise<WebhookChange> {
  const { url, events, auth, status } = patch
  return {
    ...(url !== undefined && { url, origin: context.baseUrl }),
    ...(events && { events }),
    ...(auth !== undefined && (await sealAuth(auth, userId, context))),
    ...(status && { status }),
  }
}

/**
 * Credentials are for the receiver that they were given for: where a subscription moves to another, they have to be given
 * again, or taken away.
 *
 * @throws ProblemError 400
 */
export function requireOwnAuth({ url, auth }: WebhookPatch, stored: StoredWebhook): void {
  if (url === undefined || auth !== undefined || stored.authScheme === null) return
  if (new URL(url).origin === new URL(stored.url).origin) return
  throw invalidBody([
    { pointer: '/auth', detail: 'has to be sent again, or as null, where the URL has another origin' },
  ])
}
