import { LostRace } from '../changes/requirements.ts'
import { openSession } from '../db/port.ts'
import { stateOfSubject } from '../stores/account-states.ts'
import { findForeignDeletion } from '../stores/users.ts'
import { storeAccount } from './create-account.ts'
import { InvalidCredential } from './invalid-credential.ts'
import { oAuth2 } from './oauth2.ts'
import { type AuthContext, acceptWith, credentialOf, type Scheme } from './scheme.ts'

const ACCOUNT_DELETED = 'The account of this token was deleted.'

/** An access token of this service's OpenID provider, or of a provider in OIDC_ISSUERS. */
export const openIdConnect: Scheme = {
  usage: 'an access token from an OpenID provider in the header Authorization: Bearer',

  locate: ({ authorization }) => credentialOf(authorization, ['openIdAccessToken', 'foreignToken']),

  async verify(token, context, request) {
    const { services, session, baseUrl, now } = context
    const isOwn = (issuer: string) => services.isOwnIssuer(issuer, baseUrl)
    const foreign = await services.foreignIssuers.verify(token, isOwn, now)
    if (!foreign) return oAuth2.verify(token, context, request)
    const { issuer, subject, scopes, issuedAt, provedAt, tokenExpiresAt } = foreign
    const query = stateOfSubject(issuer, subject)
    const times = { tokenExpiresAt, provedAt }
    const acceptAccount = acceptWith(scopes, 'The user of this token could not be created.', times)
    return {
      query,
      async accept(account) {
        if (account) return await acceptAccount(account)
        // This is the user's first request, or the first request after the account was deleted.
        const deletedAt = await findForeignDeletion(session.db, issuer, subject)
        // A token from before the deletion must not create the account again.
        if (deletedAt && (!issuedAt || issuedAt <= deletedAt)) throw new InvalidCredential(ACCOUNT_DELETED)
        return await acceptAccount(await createForeignAccount({ issuer, subject }, context))
      },
    }
  },
}

/** The state of the account that this request creates, or that another request has just created. */
async function createForeignAccount(owner: { issuer: string; subject: string }, context: AuthContext) {
  try {
    return await storeAccount(owner, 'sso', context, new LostRace())
  } catch (error) {
    if (!(error instanceof LostRace)) throw error
    // A session of its own, because a replica that answers the request's may not have the account yet.
    const { db } = openSession(context.services, 'first-primary')
    const [created] = await db.read(stateOfSubject(owner.issuer, owner.subject))
    return created
  }
}
