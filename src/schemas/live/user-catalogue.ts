import { doc } from '#doc'
import { CAUSED_ANONYMOUSLY, CAUSED_BY_USER, CAUSED_ON_DEMAND, exampleHead, type LiveEventSpec, MARC } from './spec.ts'
import {
  LoginAttemptEvent,
  UserAuthenticatedEvent,
  UserDeletedEvent,
  UserProfileUpdatedEvent,
  UserSignedUpEvent,
} from './user-events.ts'

const IN_CHANNEL = { channel: 'userEvents', audience: 'user', isTriggerableByAnyone: true } as const

/** Registry: the events of a user. */
export const USER_CHANNEL_EVENTS = {
  'user.signed_up': {
    ...IN_CHANNEL,
    message: 'UserSignedUp',
    title: 'User signed up',
    summary: 'A user signed up.',
    description: doc('Sent when an account is created.'),
    payload: UserSignedUpEvent,
    example: {
      name: 'New User Registration',
      summary: 'Alice joined the galaxy',
      payload: {
        ...exampleHead('user.signed_up', '019bc2d0-7500-7000-8b2e-170000000008', '2026-01-15T18:00:00.000Z'),
        user: { id: 100, name: 'Alice' },
        registration: { method: 'email', source: 'web', ipAddress: '192.0.2.100' },
        metadata: CAUSED_ANONYMOUSLY,
      },
    },
  },
  'user.authenticated': {
    ...IN_CHANNEL,
    message: 'UserAuthenticated',
    title: 'User authenticated',
    summary: 'A user signed in.',
    description: doc('Sent after POST /auth/token and after the sign-in page, if the user signed in.'),
    payload: UserAuthenticatedEvent,
    example: {
      name: 'Successful Login',
      summary: 'Marc has a token',
      payload: {
        ...exampleHead('user.authenticated', '019bc2eb-ec40-7000-b107-e70000000009', '2026-01-15T18:30:00.000Z'),
        user: MARC,
        authentication: { method: 'bearer_token', tokenType: 'JWT', expiresAt: '2026-01-16T18:30:00.000Z' },
        session: { ipAddress: '192.0.2.100', userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)' },
        metadata: CAUSED_BY_USER,
      },
    },
  },
  'user.profile_updated': {
    ...IN_CHANNEL,
    message: 'UserProfileUpdated',
    title: 'Profile updated',
    summary: 'A user changed their profile.',
    description: doc('Sent after PATCH /me.'),
    payload: UserProfileUpdatedEvent,
    example: {
      name: 'Profile Update',
      summary: 'Marc has another name',
      payload: {
        ...exampleHead('user.profile_updated', '019bc307-6380-7000-ad21-0e000000000a', '2026-01-15T19:00:00.000Z'),
        user: { id: 1, name: 'Marc Updated' },
        changes: [{ field: 'name', oldValue: 'Marc', newValue: 'Marc Updated' }],
        metadata: CAUSED_BY_USER,
      },
    },
  },
  'user.deleted': {
    ...IN_CHANNEL,
    message: 'UserDeleted',
    title: 'User deleted',
    summary: 'A user deleted their account.',
    description: doc(
      'Sent after DELETE /me, to the open sockets of the user. The service then closes these sockets with 4401, and removes all events of the user from the log.',
    ),
    payload: UserDeletedEvent,
    example: {
      name: 'Account Deletion',
      summary: 'A user deleted the account',
      payload: {
        ...exampleHead('user.deleted', '019bc322-dac0-7000-ad11-f0000000000b', '2026-01-15T19:30:00.000Z'),
        user: { id: 99, name: 'Deleted User' },
        deletion: { reason: 'user_request', dataRetention: 'immediate' },
        metadata: { ...CAUSED_ON_DEMAND, userId: 99 },
      },
    },
  },
  'login.attempt': {
    ...IN_CHANNEL,
    message: 'LoginAttempt',
    title: 'Login attempt',
    summary: 'Somebody tried to sign in.',
    description: doc(
      'Sent after every attempt to sign in to an existing account, with POST /auth/token or the sign-in page, whether it succeeds or not.',
    ),
    payload: LoginAttemptEvent,
    example: {
      name: 'Failed Login',
      summary: 'Somebody tried a wrong password',
      payload: {
        ...exampleHead('login.attempt', '019bc33e-5200-7000-a292-65000000000c', '2026-01-15T20:00:00.000Z'),
        attempt: {
          email: 'marc@scalar.com',
          success: false,
          reason: 'invalid_credentials',
          ipAddress: '192.0.2.200',
          userAgent: 'curl/7.68.0',
        },
        security: { riskScore: 0.3, suspiciousActivity: false },
        metadata: CAUSED_ON_DEMAND,
      },
    },
  },
} as const satisfies Record<string, LiveEventSpec>
