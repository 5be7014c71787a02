import { verifyApiKey } from './api-key.ts'
import { InvalidCredential } from './invalid-credential.ts'
import type { Scheme } from './scheme.ts'

export const API_KEY_PARAMETER = 'api_key'

/** An API key in the query. */
export const apiKeyQuery: Scheme = {
  usage: `an API key in the query parameter ${API_KEY_PARAMETER}`,

  locate: ({ query }) => query.get(API_KEY_PARAMETER) ?? undefined,

  async verify(key, context, { query }) {
    // Which of two is meant, nobody can say: a proxy may read the one and we the other.
    if (query.getAll(API_KEY_PARAMETER).length > 1)
      throw new InvalidCredential('The query contains more than one API key.')
    return await verifyApiKey(key, context)
  },
}
