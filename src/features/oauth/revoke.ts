import { doc } from '#doc'
import { OAuthError } from '../../domain/oauth-errors.ts'
import { form } from '../../http/body/form.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { TokenReference } from '../../schemas/oauth.ts'
import { endGrant } from '../../stores/grants.ts'
import { authenticateClient } from './client-authentication.ts'
import { OAUTH_FAILURES, OAUTH_LIMITED, OAUTH_UNAUTHORIZED } from './responses.ts'
import { findToken } from './token-state.ts'

/** The revocation endpoint (RFC 7009). */
export const revoke = defineRoute({
  method: 'post',
  path: '/oauth/revoke',
  operationId: 'revokeToken',
  tag: 'OAuth',
  summary: 'Revoke a token',
  description: doc(
    'Revokes the grant of a token, and with it every token of this grant. If the token is unknown or no longer valid, the response is the same.',
  ),
  since: '2.0.0',
  errorStyle: 'oauth',
  security: [],
  body: form(TokenReference),
  responses: {
    200: { description: doc('The token is revoked') },
    ...OAUTH_FAILURES,
    ...OAUTH_UNAUTHORIZED,
    ...OAUTH_LIMITED,
  },
  async handle({ body: parameters }, context) {
    const client = await authenticateClient(parameters, context)
    if (parameters.token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.')
    const token = await findToken(parameters.token, context)
    if (token && token.grant.clientId !== client.id) {
      throw new OAuthError('invalid_grant', 'This token was issued to another client.')
    }
    if (token) await endGrant(context.session, token.grant.id, context.now)
    return reply(200)
  },
})
