import * as z from 'zod'
import { doc } from '#doc'
import { TOKEN_DEFECTS } from '../domain/token-defects.ts'
import { EXAMPLE_TOKEN } from './user.ts'

const Defect = z.enum(TOKEN_DEFECTS).meta({
  id: 'TokenDefect',
  description: doc('What is wrong with a token. All else in it is right.'),
  examples: ['expired'],
})

export const DefectiveTokenInput = z.strictObject({ defect: Defect }).meta({
  id: 'DefectiveTokenInput',
  description: doc('Which token is wanted'),
  examples: [{ defect: 'expired' }],
})

const EXAMPLE_EXPECTATION = { status: 401, error: 'invalid_token', description: 'The token has expired.' } as const

export const DefectiveToken = z
  .object({
    defect: Defect,
    token: z.string().meta({ description: doc('An access token, to send as `Authorization: Bearer …`') }),
    expect: z
      .object({
        status: z.int().meta({ description: doc('401 or 403'), examples: [EXAMPLE_EXPECTATION.status] }),
        error: z
          .enum(['invalid_token', 'insufficient_scope'])
          .meta({ id: 'TokenError', description: doc('The error of RFC 6750, section 3.1') }),
        description: z
          .string()
          .nullable()
          .meta({
            description: doc('The error_description, which is the detail of the problem too. Null if it has none.'),
          }),
      })
      .meta({
        id: 'TokenExpectation',
        description: doc('What every operation that takes oAuth2 answers, in `WWW-Authenticate`'),
      }),
  })
  .meta({
    id: 'DefectiveToken',
    description: doc('A token with a defect, and what becomes of it'),
    examples: [{ defect: 'expired', token: EXAMPLE_TOKEN, expect: EXAMPLE_EXPECTATION }],
  })

export type DefectiveToken = z.infer<typeof DefectiveToken>
