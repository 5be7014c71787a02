import { dateOf } from '../lib/time.ts'
import { stateOfGrantUser } from '../stores/account-states.ts'
import { verifyAccessToken } from './access-token.ts'
import { acceptWith, credentialOf, type Scheme } from './scheme.ts'
import { TOKEN_FAULTS } from './token-faults.ts'

/** An access token of this service's OAuth provider. It ends with its grant. */
export const oAuth2: Scheme = {
  usage: 'an access token from /oauth/token in the header Authorization: Bearer',

  locate: ({ authorization }) => credentialOf(authorization, ['accessToken', 'openIdAccessToken']),

  async verify(token, context) {
    const { now } = context
    const claims = await verifyAccessToken(token, context)
    // `provedAt` is not the time of issue, because a refresh issues a token without the user.
    const times = { tokenExpiresAt: dateOf(claims.expiresAt), provedAt: claims.authenticatedAt }
    return {
      query: stateOfGrantUser(claims.grantId, now),
      accept: acceptWith(claims.scopes, TOKEN_FAULTS.grant, times),
    }
  },
}
