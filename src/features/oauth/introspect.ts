import { doc } from '#doc'
import { OAuthError } from '../../domain/oauth-errors.ts'
import { form } from '../../http/body/form.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { secondsOf } from '../../lib/time.ts'
import { Introspection, TokenReference } from '../../schemas/oauth.ts'
import { authenticateConfidentialClient } from './client-authentication.ts'
import { OAUTH_FAILURES, OAUTH_LIMITED, OAUTH_UNAUTHORIZED } from './responses.ts'
import { expiryOf, findToken, isActive, type KnownToken } from './token-state.ts'

/** The introspection endpoint (RFC 7662). */
export const introspect = defineRoute({
  method: 'post',
  path: '/oauth/introspect',
  operationId: 'introspectToken',
  tag: 'OAuth',
  summary: 'Introspect a token',
  description: doc(
    'Tells a confidential client whether a token that was issued to it is active, and what the token allows. For any other token, the response says that it is not active.',
  ),
  since: '2.0.0',
  errorStyle: 'oauth',
  security: [],
  body: form(TokenReference),
  responses: {
    200: { description: doc('The state of the token'), schema: Introspection },
    ...OAUTH_FAILURES,
    ...OAUTH_UNAUTHORIZED,
    ...OAUTH_LIMITED,
  },
  async handle({ body: parameters }, context) {
    const client = await authenticateConfidentialClient(parameters, context)
    if (parameters.token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.')
    const token = await findToken(parameters.token, context)
    const isActiveForClient = token && token.grant.clientId === client.id && isActive(token, context.now)
    return reply(200, isActiveForClient ? describeToken(token, context.baseUrl) : { active: false })
  },
})

/** The description of an active token. */
function describeToken(token: KnownToken, baseUrl: string): Introspection {
  const { grant } = token
  const exp = secondsOf(expiryOf(token))
  const common = { active: true, client_id: grant.clientId, sub: String(grant.userId), exp }
  if (token.kind === 'refresh token') return { ...common, iss: baseUrl, scope: grant.scopes.join(' ') }
  const { id, issuer, scopes, issuedAt } = token.claims
  return {
    ...common,
    iss: issuer,
    scope: scopes.join(' '),
    token_type: 'Bearer',
    aud: issuer,
    jti: id,
    iat: issuedAt,
  }
}
