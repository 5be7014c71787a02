import { standingOfSubject } from '../stores/standing.ts'
import { insertForeignUser } from '../stores/users.ts'
import { admitWith } from './admit.ts'
import { locateBearerToken } from './bearer-token.ts'
import { oAuth2 } from './oauth2.ts'
import type { Scheme } from './scheme.ts'

/** An access token of our own OpenID provider, or of one that OIDC_ISSUERS names. */
export const openIdConnect: Scheme = {
  usage: 'an access token of an OpenID provider in the header Authorization: Bearer',

  locate: (credentials, context) => locateBearerToken(credentials, context, 'openIdConnect'),

  async verify(token, context, credentials) {
    const { services, session, baseUrl, now } = context
    const foreign = await services.foreignIssuers.verify(token, baseUrl, now)
    if (!foreign) return oAuth2.verify(token, context, credentials)
    const { issuer, subject, scopes } = foreign
    const standing = standingOfSubject(session.db, issuer, subject)
    const admit = admitWith(scopes, 'The user of this token could not be made')
    return {
      standing,
      async admit(found) {
        if (found) return await admit(found)
        // The first time that this user comes.
        await insertForeignUser(session.db, issuer, subject, now)
        const [made] = await standingOfSubject(session.db, issuer, subject)
        return await admit(made)
      },
    }
  },
}
