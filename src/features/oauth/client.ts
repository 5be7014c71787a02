import { OAuthError } from '../../domain/oauth-errors.ts'
import { parseScopes, type Scope } from '../../domain/scopes.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import type { GrantType } from '../../schemas/client.ts'
import { type CallingClient, selectClient } from '../../stores/clients.ts'

/**
 * Like `findClient`, but for HTML pages. No client authenticates there, so an unknown client is an invalid request.
 *
 * @throws OAuthError invalid_request
 */
export async function findClientForPage(id: string | undefined, context: RequestContext): Promise<CallingClient> {
  try {
    return await findClient(id, context)
  } catch (error) {
    throw error instanceof OAuthError ? new OAuthError('invalid_request', error.message) : error
  }
}

/**
 * Like `findClientForPage`, but for a page on which a user decides what the client gets.
 *
 * @throws OAuthError invalid_request
 */
export async function findActiveClientForPage(id: string | undefined, context: RequestContext): Promise<CallingClient> {
  const client = await findClientForPage(id, context)
  if (!client.owner?.suspendedAt) return client
  throw new OAuthError('invalid_request', 'The account of the owner of this client is suspended.')
}

/** @throws OAuthError invalid_request if the id is missing, invalid_client if unknown */
export async function findClient(id: string | undefined, { session, now }: RequestContext): Promise<CallingClient> {
  if (id === undefined) throw new OAuthError('invalid_request', 'The parameter client_id is missing.')
  const [client] = await session.db.read(selectClient(id, now))
  if (!client) throw new OAuthError('invalid_client', 'There is no client with this client_id. Register one first.')
  return client
}

/** The absolute URIs to which responses for a client may go. A URI registered as a path belongs to this service. */
export function redirectUrisOf({ metadata }: CallingClient, baseUrl: string): string[] {
  return metadata.redirect_uris.map((uri) => (uri.startsWith('/') ? baseUrl + uri : uri))
}

/** Checks that a client is registered for a grant type. @throws OAuthError unauthorized_client */
export function requireGrantType({ metadata }: CallingClient, type: GrantType): void {
  if (metadata.grant_types.includes(type)) return
  throw new OAuthError('unauthorized_client', `The client is not registered for the grant type ${type}.`)
}

/**
 * The scopes that a client requests. Unknown scopes are ignored. A client that names no scopes gets all allowed scopes.
 *
 * @param text The parameter `scope` of the request
 * @throws OAuthError invalid_scope if no scope remains, or if a known scope is not allowed
 */
export function chooseScopes(text: string | undefined, allowed: readonly Scope[]): Scope[] {
  const scopes = text === undefined ? [...allowed] : parseScopes(text)
  if (scopes.length === 0) throw new OAuthError('invalid_scope', 'No supported scope was requested.')
  const forbiddenScopes = scopes.filter((scope) => !allowed.includes(scope))
  if (forbiddenScopes.length === 0) return scopes
  throw new OAuthError('invalid_scope', `The client cannot be granted these scopes: ${forbiddenScopes.join(' ')}.`)
}

export function registeredScopes({ metadata }: CallingClient): Scope[] {
  return parseScopes(metadata.scope)
}

/**
 * Rejects a request for a token for another service (RFC 8707, section 2). A slash at the end of a resource is ignored.
 *
 * @param resources All values of the parameter `resource`. An empty one counts as absent
 * @throws OAuthError invalid_target
 */
export function requireOwnResources(resources: readonly string[], baseUrl: string): void {
  if (resources.every((resource) => resource === '' || resource.replace(/\/$/, '') === baseUrl)) return
  throw new OAuthError('invalid_target', `The resource must be ${baseUrl}.`)
}
