import { verifyApiKey } from './api-key.ts'
import type { Scheme } from './scheme.ts'

export const API_KEY_HEADER = 'X-API-Key'

/** An API key in a header of its own. */
export const apiKeyHeader: Scheme = {
  usage: `an API key in the header ${API_KEY_HEADER}`,

  locate: ({ headers }) => headers.get(API_KEY_HEADER) ?? undefined,

  verify: (key, context) => verifyApiKey(key, context),
}
