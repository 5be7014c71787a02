import { CLIENT_AUTHENTICATION } from '../../schemas/client.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { CallingClient } from '../../stores/clients.ts'
import type { SignedIn } from '../../stores/sign-ins.ts'
import { REFERENCE_CLIENT } from '../../stores/strangers.ts'
import type { Addressee } from './answer.ts'

// What a client is trusted with. Anybody can register one, with any address to be redirected to.

/**
 * Whether a browser in which nobody has signed in may be redirected to the addresses of a client. Otherwise anybody could
 * make a link to this service that leads to a page of their own (RFC 9700, section 4.11.2). A client with an owner can be
 * stopped with the owner's account, and the API reference is redirected to this service itself.
 */
export function isAnswerable({ id, owner }: CallingClient): boolean {
  return id === REFERENCE_CLIENT || (owner !== null && !owner.suspendedAt)
}

/**
 * Whether the user's consent is remembered. That of a client without an owner never is. Nor is that of a public client
 * which is called by a URI scheme of its own: any application on the device can take that scheme, and with it the code
 * (RFC 8252, section 8.6). The same is true of a loopback address, but there developers try their applications out, and
 * renewing a token without a question is one of the things that they try.
 */
export function isRememberable({ client, redirectUri }: Pick<Addressee, 'client' | 'redirectUri'>): boolean {
  if (client.ownerId === null) return false
  const { isPublic } = CLIENT_AUTHENTICATION[client.metadata.token_endpoint_auth_method]
  return !isPublic || /^https?:/i.test(redirectUri)
}

/** Whether the user has allowed all of a request before, and is not to be asked again. */
export function isRemembered(
  request: Addressee & { prompts: readonly string[]; scopes: readonly Scope[] },
  { remembered }: SignedIn,
): boolean {
  if (!isRememberable(request) || request.prompts.includes('consent')) return false
  return request.scopes.every((scope) => remembered?.includes(scope) ?? false)
}
