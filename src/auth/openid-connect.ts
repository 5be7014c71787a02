import { standingOfSubject } from '../stores/account-states.ts'
import { findForeignDeletion, insertForeignUser } from '../stores/users.ts'
import { admitWith } from './admit.ts'
import { locateBearerToken } from './bearer-token.ts'
import { InvalidCredential } from './invalid-credential.ts'
import { oAuth2 } from './oauth2.ts'
import type { Scheme } from './scheme.ts'

const ACCOUNT_DELETED = 'The account of this token was deleted.'

/** An access token of our own OpenID provider, or of one that OIDC_ISSUERS names. */
export const openIdConnect: Scheme = {
  usage: 'an access token from an OpenID provider in the header Authorization: Bearer',

  locate: (credentials, context) => locateBearerToken(credentials, context, 'openIdConnect'),

  async verify(token, context, credentials) {
    const { services, session, baseUrl, now } = context
    const foreign = await services.foreignIssuers.verify(token, baseUrl, now)
    if (!foreign) return oAuth2.verify(token, context, credentials)
    const { issuer, subject, scopes, issuedAt, provedAt, tokenExpiresAt } = foreign
    const standing = standingOfSubject(session.db, issuer, subject)
    const times = { tokenExpiresAt, provedAt }
    const admit = admitWith(scopes, 'The user of this token could not be created.', times)
    return {
      standing,
      async admit(found) {
        if (found) return await admit(found)
        // The first time that this user comes, or comes back.
        const deletedAt = await findForeignDeletion(session.db, issuer, subject)
        if (deletedAt && (!issuedAt || issuedAt <= deletedAt)) throw new InvalidCredential(ACCOUNT_DELETED)
        await insertForeignUser(session.db, issuer, subject, now)
        const [made] = await standingOfSubject(session.db, issuer, subject)
        return await admit(made)
      },
    }
  },
}
