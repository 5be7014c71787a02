import { PURPOSES } from '../../auth/signing-secrets.ts'
import type { RequestContext } from '../../http/context.ts'
import { findTargetFaults } from '../../http/targets.ts'
import type { Fault } from '../../lib/errors.ts'
import type { ReceiverAuth } from '../../schemas/receiver-auth.ts'
import type { WebhookPatch } from '../../schemas/webhook.ts'
import { FAULTLESS } from '../../stores/deliveries.ts'
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

/** What a request changes of a subscription. One that is resumed has no failures behind it. */
export async function changeOf(patch: WebhookPatch, userId: number, context: RequestContext): Promise<WebhookChange> {
  const { url, events, auth, status } = patch
  return {
    // Of two networks one may see it under another name.
    ...(url !== undefined && { url, origin: context.baseUrl }),
    ...(events && { events }),
    ...(auth !== undefined && (await sealAuth(auth, userId, context))),
    ...(status && { status }),
    ...(status === 'active' && FAULTLESS),
  }
}
