import * as z from 'zod'
import { doc } from '#doc'
import { OAUTH_ERRORS } from '../domain/oauth-errors.ts'
import { keysOf } from '../lib/objects.ts'

/** An error of an OAuth endpoint (RFC 6749, section 5.2). */
export const OAuthErrorDocument = z
  .object({
    error: z
      .enum(keysOf(OAUTH_ERRORS))
      .meta({ id: 'OAuthErrorCode', description: doc('The error (RFC 6749, section 5.2)') }),
    error_description: z.string().meta({ description: doc('An explanation for the developer of the client') }),
  })
  .meta({
    id: 'OAuthError',
    description: doc('An error of an OAuth endpoint'),
    examples: [{ error: 'invalid_request', error_description: 'The parameter grant_type is missing.' }],
  })

export type OAuthErrorDocument = z.infer<typeof OAuthErrorDocument>
