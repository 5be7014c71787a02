import * as z from 'zod'
import { doc } from '#doc'
import { DateTime } from './fields.ts'

/** The secret of examples, tests and the published test vectors. It signs nothing else. */
export const EXAMPLE_SECRET = 'whsec_8NLSbDYphcTJexc/BTlwPg8fDtbGpB7j8/6IqBKriHY='

/** The secret with which receivers verify the callbacks of a user's planets. */
export const SigningSecret = z
  .object({
    secret: z.string().meta({
      description: doc('Signs every callback of your planets. Your receiver uses it to verify them.'),
      examples: [EXAMPLE_SECRET],
    }),
    createdAt: DateTime.meta({ examples: ['2026-01-15T14:30:00.000Z'] }),
    previousEndsAt: DateTime.meta({
      description: doc(
        'Until this time, `webhook-signature` also contains a signature with the previous secret. Absent if there is no previous secret.',
      ),
      examples: ['2026-01-16T14:30:00.000Z'],
    }).optional(),
  })
  .meta({
    id: 'SigningSecret',
    description: doc('The secret that signs the callbacks of your planets'),
    xml: { name: 'signingSecret' },
    examples: [
      { secret: EXAMPLE_SECRET, createdAt: '2026-01-15T14:30:00.000Z', previousEndsAt: '2026-01-16T14:30:00.000Z' },
    ],
  })

export type SigningSecret = z.infer<typeof SigningSecret>
