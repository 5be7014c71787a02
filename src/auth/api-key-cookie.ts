import { ProblemError } from '../domain/problems.ts'
import { verifyApiKey } from './api-key.ts'
import { isCrossSite } from './cross-site.ts'
import type { Scheme } from './scheme.ts'

/** Name of the cookie. */
export const API_KEY_COOKIE = 'api_key'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * An API key in a cookie. A browser sends it along whoever wrote the page, so with it nothing is changed for a page of
 * another origin.
 */
export const apiKeyCookie: Scheme = {
  usage: `an API key in the cookie ${API_KEY_COOKIE}`,

  locate: ({ cookies }) => cookies[API_KEY_COOKIE],

  async verify(key, context, { method, headers }) {
    const { standing, admit } = await verifyApiKey(key, context)
    return {
      standing,
      async admit(found) {
        const admission = await admit(found)
        if (SAFE_METHODS.includes(method) || !isCrossSite(headers, context.baseUrl)) return admission
        throw new ProblemError(
          'cross-site-request',
          'Pages of other origins cannot change data with an API key in a cookie. Send the key in a header instead.',
        )
      },
    }
  },
}
