import { provePassword } from '../../auth/prove-password.ts'
import { hashSecret } from '../../auth/secrets.ts'
import { OAuthError } from '../../domain/oauth-errors.ts'
import { SUSPENDED_DETAIL } from '../../domain/problems.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { requireWritesLeft } from '../../http/pipeline/write-limit.ts'
import { DEVICE_CODE_GRANT, type GrantType } from '../../schemas/client.ts'
import type { TokenParameters, TokenSet } from '../../schemas/oauth.ts'
import type { CallingClient } from '../../stores/clients.ts'
import { findRedeemable } from '../../stores/grants.ts'
import { chooseScopes, registeredScopes } from './client.ts'
import { refuseClient } from './client-authentication.ts'
import { pollDeviceCode } from './device-code-queries.ts'
import { type DirectGrant, startGrant } from './issue.ts'
import { challengeRequirements } from './pkce.ts'
import { exchangeForTokens, invalidGrant, requireAll, requireRedeemable } from './redeem.ts'

/** A token request from an authenticated client. */
interface GrantRequest {
  client: CallingClient
  parameters: TokenParameters
  context: RequestContext
}

type GrantHandler = (request: GrantRequest) => Promise<TokenSet>

/** Registry: the grant types of the token endpoint. Each handler throws an OAuthError if it issues no tokens. */
export const GRANTS = {
  authorization_code: redeemCode,
  refresh_token: redeemRefreshToken,
  client_credentials: grantToClient,
  password: grantForPassword,
  [DEVICE_CODE_GRANT]: redeemDeviceCode,
} as const satisfies Partial<Record<GrantType, GrantHandler>>

/** The authorization code grant (RFC 6749, section 4.1.3; RFC 7636, section 4.6). */
async function redeemCode({ client, parameters, context }: GrantRequest): Promise<TokenSet> {
  const { code, redirect_uri, code_verifier } = parameters
  const hash = await hashSecret(requireParameter(code, 'code'))
  const storedCode = await requireRedeemable(await findRedeemable(context.session.db, 'code', hash), client, context)
  const { secret, grant } = storedCode
  requireAll([
    [secret.redirectUri === (redirect_uri ?? null), 'redirect_uri differs from the one in the authorization request.'],
    ...(await challengeRequirements(code_verifier, secret.challenge)),
  ])
  const isRefreshable = isRefreshableBy(client, grant.scopes)
  const nonce = secret.nonce ?? undefined
  return await exchangeForTokens('code', storedCode, grant.scopes, { isRefreshable, nonce, context })
}

function isRefreshableBy({ metadata }: CallingClient, scopes: readonly Scope[]): boolean {
  return scopes.includes('offline_access') && metadata.grant_types.includes('refresh_token')
}

/**
 * The device code grant (RFC 8628, sections 3.4 and 3.5). The client polls until the user has decided. A poll that
 * comes too early gets the tokens nevertheless if the user has allowed it.
 */
async function redeemDeviceCode({ client, parameters, context }: GrantRequest): Promise<TokenSet> {
  const { session, now } = context
  const hash = await hashSecret(requireParameter(parameters.device_code, 'device_code'))
  // Each poll is written down, and a client of this grant needs no account.
  await requireWritesLeft(context.services, { id: `device-code/${hash}` })
  const polled = await pollDeviceCode(session, hash, client.id, now)
  if (!polled) throw invalidGrant('The device code is unknown, or it was issued to another client.')
  const { grantId, userCode, usedAt, expiresAt } = polled.code
  if (!usedAt && expiresAt <= now) throw new OAuthError('expired_token', 'The device code has expired. Start again.')
  if (!grantId)
    throw userCode === null ? new OAuthError('access_denied', 'The user denied the request.') : pending(polled)
  const storedCode = await requireRedeemable(await findRedeemable(session.db, 'device code', hash), client, context)
  const { scopes } = storedCode.grant
  const isRefreshable = isRefreshableBy(client, scopes)
  return await exchangeForTokens('device code', storedCode, scopes, { isRefreshable, nonce: undefined, context })
}

function pending({ isTooEarly }: { isTooEarly: boolean }): OAuthError {
  return isTooEarly
    ? new OAuthError(
        'slow_down',
        'The user has not decided yet. From now on, wait 5 seconds longer before each request.',
      )
    : new OAuthError('authorization_pending', 'The user has not decided yet. Ask again after the interval.')
}

/**
 * The refresh token grant (RFC 6749, section 6), with rotation (RFC 9700, section 4.14.2). The client may request fewer
 * scopes for the new access token.
 */
async function redeemRefreshToken({ client, parameters, context }: GrantRequest): Promise<TokenSet> {
  const hash = await hashSecret(requireParameter(parameters.refresh_token, 'refresh_token'))
  const storedToken = await requireRedeemable(
    await findRedeemable(context.session.db, 'refresh token', hash),
    client,
    context,
  )
  const { grant } = storedToken
  await requireWritesLeft(context.services, { id: grant.userId })
  const scopes = chooseScopes(parameters.scope, grant.scopes)
  return await exchangeForTokens('refresh token', storedToken, scopes, {
    isRefreshable: true,
    nonce: undefined,
    context,
  })
}

/** The client credentials grant (RFC 6749, section 4.4). The client acts as the user who registered it. */
async function grantToClient({ client, parameters, context }: GrantRequest): Promise<TokenSet> {
  const { owner } = client
  if (!owner || client.metadata.token_endpoint_auth_method === 'none') {
    throw new OAuthError(
      'unauthorized_client',
      'Only a confidential client that belongs to a user can get tokens for itself.',
    )
  }
  if (owner.passwordGeneration !== client.passwordGeneration) {
    throw invalidGrant('The owner of this client has a new password. Register another client.')
  }
  await requireWritesLeft(context.services, owner)
  const scopes = chooseScopes(parameters.scope, registeredScopes(client).filter(needsNoUser))
  // These scopes give no ID token, and only an ID token contains the name and the e-mail address.
  const user = { ...owner, name: null, email: null }
  return await grantDirectly(client, { user, scopes, authenticatedAt: null }, context)
}

/** The password grant (RFC 6749, section 4.3), for legacy clients that ask users for their passwords. */
async function grantForPassword({ client, parameters, context }: GrantRequest): Promise<TokenSet> {
  const email = requireParameter(parameters.username, 'username')
  const password = requireParameter(parameters.password, 'password')
  const { account } = await provePassword({ email, password }, context, 'failures')
  if (!account) throw invalidGrant('The e-mail address or the password is wrong.')
  if (account.suspendedAt) throw invalidGrant(SUSPENDED_DETAIL)
  await requireWritesLeft(context.services, account)
  // `offline_access` stands for a refresh token, which this grant does not issue.
  const allowedScopes = registeredScopes(client).filter((scope) => scope !== 'offline_access')
  const scopes = chooseScopes(parameters.scope, allowedScopes)
  return await grantDirectly(client, { user: account, scopes, authenticatedAt: context.now }, context)
}

/** Whether a scope makes sense for a token that a client gets for itself. */
function needsNoUser(scope: Scope): boolean {
  return !['openid', 'profile', 'email', 'offline_access'].includes(scope)
}

/** The error if `insertGrant` stores nothing. */
const GRANT_NOT_STORED =
  'The client was deleted, an account was deleted or suspended, or a password was changed during this request. Check the client and the accounts of its owner and user.'

/** @throws OAuthError invalid_client if the grant could not be stored (`insertGrant`) */
async function grantDirectly(
  client: CallingClient,
  newGrant: Omit<DirectGrant, 'clientId'>,
  context: RequestContext,
): Promise<TokenSet> {
  const tokens = await startGrant({ ...newGrant, clientId: client.id }, context)
  if (tokens) return tokens
  throw refuseClient(GRANT_NOT_STORED, client.metadata.token_endpoint_auth_method, context.baseUrl)
}

/** @throws OAuthError invalid_request if the parameter is missing */
function requireParameter(value: string | undefined, name: string): string {
  if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`)
  return value
}
