import * as z from 'zod'
import { doc } from '#doc'
import { DateTime } from '../fields.ts'
import { Credentials } from '../user.ts'
import { LiveUser } from './bodies.ts'
import { Changes, headOf, TAIL } from './parts.ts'

// The payloads of the channel of a user. Only that user sees them.

const ipAddress = z
  .ipv4('must be an IPv4 address')
  .meta({ description: doc('The address of the client, if it is IPv4') })
  .optional()
const userAgent = z
  .string()
  .meta({ description: doc('The header `User-Agent` of the request') })
  .optional()

const Registration = z.object({
  method: z
    .enum(['email', 'oauth', 'sso'])
    .meta({ description: doc('`sso` for a user of another provider') })
    .optional(),
  source: z.enum(['web', 'mobile', 'api']).optional(),
  ipAddress,
})

export const UserSignedUpEvent = z
  .object({ ...headOf('user.signed_up'), user: LiveUser, registration: Registration.optional(), ...TAIL })
  .meta({ id: 'UserSignedUpEvent', description: doc('The new user') })

const Authentication = z.object({
  method: z.enum(['bearer_token', 'basic_auth', 'oauth', 'api_key']).meta({
    description: doc('`bearer_token` for a token from POST /auth/token, `oauth` for the sign-in page'),
  }),
  tokenType: z.enum(['JWT', 'OAuth', 'Basic']),
  expiresAt: DateTime.meta({ description: doc('When the token or the session ends') }).optional(),
})

const Session = z.object({
  id: z
    .string()
    .meta({ description: doc('Only in events on demand') })
    .optional(),
  ipAddress,
  userAgent,
})

export const UserAuthenticatedEvent = z
  .object({
    ...headOf('user.authenticated'),
    user: LiveUser,
    authentication: Authentication,
    session: Session.optional(),
    ...TAIL,
  })
  .meta({ id: 'UserAuthenticatedEvent', description: doc('Who signed in, and how') })

export const UserProfileUpdatedEvent = z
  .object({ ...headOf('user.profile_updated'), user: LiveUser, changes: Changes, ...TAIL })
  .meta({ id: 'UserProfileUpdatedEvent', description: doc('The current user, and the changes') })

const Deletion = z.object({
  reason: z.enum(['user_request', 'admin_action', 'policy_violation', 'inactive']).optional(),
  dataRetention: z.enum(['immediate', '30_days', '90_days', '1_year']).optional(),
})

export const UserDeletedEvent = z
  .object({
    ...headOf('user.deleted'),
    user: LiveUser,
    deletion: Deletion.meta({
      description: doc('Why the account was deleted, and how long its data is kept. Only in events on demand.'),
    }).optional(),
    ...TAIL,
  })
  .meta({ id: 'UserDeletedEvent', description: doc('The deleted user') })

const Attempt = z.object({
  email: Credentials.shape.email.meta({ description: doc('The e-mail address of the account') }),
  success: z.boolean(),
  reason: z
    .enum(['invalid_credentials', 'account_locked', 'rate_limited', 'success'])
    .meta({
      description: doc('`account_locked` for a suspended account. Attempts that are refused with 429 cause no event.'),
    })
    .optional(),
  ipAddress,
  userAgent,
})

const Assessment = z.object({
  riskScore: z.number().min(0).max(1).optional(),
  suspiciousActivity: z.boolean().optional(),
})

export const LoginAttemptEvent = z
  .object({
    ...headOf('login.attempt'),
    attempt: Attempt,
    security: Assessment.meta({
      description: doc('An assessment of the attempt. Only in events on demand.'),
    }).optional(),
    ...TAIL,
  })
  .meta({ id: 'LoginAttemptEvent', description: doc('An attempt to sign in to an account that exists') })
