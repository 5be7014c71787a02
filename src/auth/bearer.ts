import { ALL_SCOPES } from '../schemas/scopes.ts'
import { standingOfUser } from '../stores/account-states.ts'
import { admitWith } from './admit.ts'
import { locateBearerToken } from './bearer-token.ts'
import type { Scheme } from './scheme.ts'
import { verifyUserToken } from './user-token.ts'

/** A token of POST /auth/token. It holds until its user has a new password, and carries all scopes. */
export const bearer: Scheme = {
  usage: 'a token from POST /auth/token in the header Authorization: Bearer',

  locate: (credentials, context) => locateBearerToken(credentials, context, 'bearerAuth'),

  async verify(token, { services, session, baseUrl, now }) {
    const { userId, passwordGeneration, ...times } = await verifyUserToken(services.tokens, token, baseUrl, now)
    return {
      standing: standingOfUser(session.db, userId, passwordGeneration),
      admit: admitWith(ALL_SCOPES, 'The account of this token no longer exists or has a new password.', times),
    }
  },
}
