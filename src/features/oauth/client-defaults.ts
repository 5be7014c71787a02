import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCOPES, KEY_SCOPES, parseScopes, type Scope } from '../../domain/scopes.ts'
import {
  type ClientInput,
  type ClientMetadata,
  GRANT_TYPES,
  type GrantType,
  RESPONSE_TYPE,
  type ResponseType,
} from '../../schemas/client.ts'

/**
 * Adds defaults for the members that a client did not send (RFC 7591, section 2). The default grant types include
 * refresh_token, but the service issues a refresh token only for the scope offline_access.
 */
export function completeMetadata(input: ClientInput, caller: Caller | undefined): ClientMetadata {
  const { client_name, client_uri, jwks } = input
  const grantTypes = input.grant_types ?? defaultGrantTypes(input.response_types ?? [])
  const responseTypes = input.response_types ?? defaultResponseTypes(grantTypes)
  const scopes = input.scope === undefined ? defaultScopes(grantTypes, caller) : parseScopes(input.scope)
  return {
    redirect_uris: input.redirect_uris ?? [],
    ...(client_name !== undefined && { client_name }),
    ...(client_uri !== undefined && { client_uri }),
    token_endpoint_auth_method: input.token_endpoint_auth_method ?? (caller ? 'client_secret_basic' : 'none'),
    grant_types: grantTypes,
    response_types: responseTypes,
    scope: scopes.join(' '),
    ...(jwks && { jwks }),
    post_logout_redirect_uris: input.post_logout_redirect_uris ?? [],
  }
}

/**
 * The grant types that the response types require (RFC 7591, section 2.1), and refresh_token with authorization_code.
 * The default for a client without response types is authorization_code.
 */
function defaultGrantTypes(responseTypes: readonly ResponseType[]): GrantType[] {
  const neededTypes = new Set<GrantType>(responseTypes.map((type) => RESPONSE_TYPE[type].grantType))
  if (neededTypes.size === 0) neededTypes.add('authorization_code')
  if (neededTypes.has('authorization_code')) neededTypes.add('refresh_token')
  return GRANT_TYPES.filter((type) => neededTypes.has(type))
}

/** The response types of the grant types (RFC 7591, section 2.1: `implicit` stands for `token`, not for `id_token`). */
function defaultResponseTypes(grantTypes: readonly GrantType[]): ResponseType[] {
  const types: readonly ResponseType[] = ['code', 'token']
  return types.filter((type) => grantTypes.includes(RESPONSE_TYPE[type].grantType))
}

/** All scopes. A client that can get tokens for itself gets no scope that the credential of its owner lacks. */
function defaultScopes(grantTypes: readonly GrantType[], caller: Caller | undefined): Scope[] {
  return grantTypes.includes('client_credentials')
    ? ALL_SCOPES.filter((scope) => canPassOn(scope, caller))
    : [...ALL_SCOPES]
}

/**
 * Whether a caller may register a client that gets this scope for itself. No credential can create another credential
 * with more access. Scopes that no endpoint requires, such as `profile`, give no access.
 */
export function canPassOn(scope: Scope, caller: Caller | undefined): boolean {
  const isRequiredByEndpoints = KEY_SCOPES.some((name) => name === scope)
  return !isRequiredByEndpoints || (caller?.scopes.includes(scope) ?? false)
}
