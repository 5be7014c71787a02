import { selectStanding } from '../stores/users.ts'
import type { Claim, Scheme, VerifierTools } from './scheme.ts'

const REALM = 'Bearer realm="Galaxy"'

/** A token of POST /auth/token in the Authorization header (RFC 6750, section 2.1). */
export const bearer: Scheme = {
  usage: 'a token of POST /auth/token in the header Authorization: Bearer',

  locate(headers) {
    const match = /^Bearer(?: +(.*))?$/i.exec(headers.get('Authorization') ?? '')
    return match ? (match[1] ?? '') : undefined
  },

  async verify(credential: string, { db, tokens, issuer, now }: VerifierTools): Promise<Claim> {
    const { userId, passwordGeneration } = await tokens.verify(credential, issuer, now)
    return { standing: selectStanding(db, userId, passwordGeneration) }
  },

  challenge(fault) {
    return fault === undefined ? REALM : `${REALM}, error="invalid_token", error_description="${fault}"`
  },
}
