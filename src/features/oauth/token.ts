import { doc } from '#doc'
import { OAuthError } from '../../domain/oauth-errors.ts'
import { form } from '../../http/body/form.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { keysOf } from '../../lib/objects.ts'
import { TokenParameters, TokenSet } from '../../schemas/oauth.ts'
import { REPEATABLE } from './authorization-parameters.ts'
import { requireGrantType } from './client.ts'
import { authenticateForTokens } from './client-authentication.ts'
import { GRANTS } from './grants.ts'
import { keepEnabledTypes } from './legacy-flows.ts'
import { OAUTH_FAILURES, OAUTH_LIMITED, OAUTH_UNAUTHORIZED } from './responses.ts'

/** The token endpoint (RFC 6749, section 3.2). */
export const token = defineRoute({
  method: 'post',
  path: '/oauth/token',
  operationId: 'issueTokens',
  tag: 'OAuth',
  summary: 'Get OAuth tokens',
  description: doc(
    'The token endpoint of OAuth 2.0. A client exchanges an authorization code with PKCE, a device code, a refresh token or its own credentials for an access token. Codes and refresh tokens can be used only once.',
  ),
  since: '2.0.0',
  errorStyle: 'oauth',
  security: [],
  body: form(TokenParameters, [REPEATABLE]),
  responses: {
    200: { description: doc('The tokens'), schema: TokenSet, headers: ['Pragma'] },
    ...OAUTH_FAILURES,
    ...OAUTH_UNAUTHORIZED,
    ...OAUTH_LIMITED,
  },
  async handle({ body: parameters }, context) {
    const client = await authenticateForTokens(parameters, context)
    const type = chooseGrantType(parameters.grant_type, context.services.config.legacyFlows)
    requireGrantType(client, type)
    const tokens = await GRANTS[type]({ client, parameters, context })
    return reply(200, tokens, { Pragma: 'no-cache' })
  },
})

/** The grant types of the token endpoint, with the legacy grant types only if the operator has enabled them. */
export function listGrantTypes(legacyFlows: boolean): (keyof typeof GRANTS)[] {
  return keepEnabledTypes(keysOf(GRANTS), legacyFlows)
}

/** @throws OAuthError invalid_request, unsupported_grant_type */
function chooseGrantType(type: string | undefined, legacyFlows: boolean): keyof typeof GRANTS {
  if (type === undefined) throw new OAuthError('invalid_request', 'The parameter grant_type is missing.')
  const supportedTypes = listGrantTypes(legacyFlows)
  const grantType = supportedTypes.find((name) => name === type)
  if (grantType) return grantType
  throw new OAuthError('unsupported_grant_type', `Unsupported grant_type. Supported: ${supportedTypes.join(', ')}.`)
}
