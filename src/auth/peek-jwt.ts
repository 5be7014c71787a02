import { decodeJwt, decodeProtectedHeader } from 'jose'
import { z } from 'zod'

const Peeked = z.object({
  type: z
    .string()
    .transform((type) => type.toLowerCase().replace(/^application\//, ''))
    .optional()
    .catch(undefined),
  issuer: z.string().optional().catch(undefined),
  subject: z.string().optional().catch(undefined),
  audience: z.string().optional().catch(undefined),
  scope: z.string().optional().catch(undefined),
  issuedAt: z.number().optional().catch(undefined),
})

/** What a JWT says of itself. Nothing of it is proved, so it is only good for deciding how to verify it. */
type PeekedJwt = z.infer<typeof Peeked>

/** Reads a JWT without verifying it; of what is none, nothing. The type is without `application/` (RFC 7515, section 4.1.9). */
export function peekJwt(token: string): PeekedJwt {
  try {
    const { typ } = decodeProtectedHeader(token)
    const { iss, sub, aud, scope, iat } = decodeJwt(token)
    return Peeked.parse({ type: typ, issuer: iss, subject: sub, audience: aud, scope, issuedAt: iat })
  } catch {
    return {}
  }
}
