import type { Scope } from '../../domain/scopes.ts'
import { CLIENT_AUTHENTICATION } from '../../schemas/client.ts'
import { REFERENCE_CLIENT } from '../../stores/anonymous-rows.ts'
import type { CallingClient } from '../../stores/clients.ts'
import type { SignedIn } from '../../stores/sign-ins.ts'
import type { Addressee } from './answer.ts'

// Decides how far a client is trusted. Anyone can register a client, with any redirect URI.

/**
 * Whether a browser without a signed-in user may be redirected to a client. If this were allowed for every client,
 * anyone could create a link to this service that leads to their own page (RFC 9700, section 4.11.2). A client with an
 * owner can be stopped by suspending the owner, and the redirect URI of the API reference belongs to this service.
 */
export function isRedirectTrusted({ id, owner }: CallingClient): boolean {
  return id === REFERENCE_CLIENT || (owner !== null && !owner.suspendedAt)
}

/**
 * Whether the user's consent may be remembered. It is not remembered for a client without an owner. For a public client
 * with a private-use URI scheme, it is not remembered either, because any application on the device can register the
 * same scheme and receive the code (RFC 8252, section 8.6). A loopback address has the same weakness. It is accepted,
 * because developers test their applications there, and need to test that the service does not ask again.
 */
export function mayRememberConsent({ client, redirectUri }: Pick<Addressee, 'client' | 'redirectUri'>): boolean {
  if (client.ownerId === null) return false
  const { isPublic } = CLIENT_AUTHENTICATION[client.metadata.token_endpoint_auth_method]
  return !isPublic || /^https?:/i.test(redirectUri)
}

/** Whether the user has already allowed everything that a request asks for, so that the service need not ask again. */
export function hasRememberedConsent(
  request: Addressee & { prompts: readonly string[]; scopes: readonly Scope[] },
  { rememberedScopes }: SignedIn,
): boolean {
  if (!mayRememberConsent(request) || request.prompts.includes('consent')) return false
  return request.scopes.every((scope) => rememberedScopes?.includes(scope) ?? false)
}
