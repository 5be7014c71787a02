import * as z from 'zod'
import { doc } from '#doc'

/** Public RSA keys for signatures (RFC 7517, section 5; RFC 7518, section 6.3.1). */
export const JsonWebKeySet = z
  .object({
    keys: z.array(
      z
        .object({
          kty: z.literal('RSA'),
          use: z.literal('sig'),
          alg: z.literal('RS256'),
          kid: z.string(),
          n: z.string(),
          e: z.string(),
        })
        .meta({ id: 'JsonWebKey', description: doc('A public RSA key') }),
    ),
  })
  .meta({
    id: 'JsonWebKeySet',
    description: doc('The public keys for verifying the tokens of this service'),
    examples: [
      { keys: [{ kty: 'RSA', use: 'sig', alg: 'RS256', kid: '2024-01', n: 'u1SU1LfVLPHCozMxH2Mo', e: 'AQAB' }] },
    ],
  })

export type JsonWebKeySet = z.infer<typeof JsonWebKeySet>
