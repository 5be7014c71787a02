import type { EventContents } from './event-contents.ts'
import type { Happenings } from './happening.ts'

// The events of a user, which nobody else gets.

type Given<Name extends keyof Happenings> = Happenings[Name]

export const USER_EVENTS = {
  user_signed_up: ({ body: user, details: { registration } }: Given<'user_signed_up'>): EventContents[] => [
    { eventType: 'user.signed_up', members: { user, registration } },
  ],
  login: ({ body: user, details }: Given<'login'>): EventContents[] => {
    const { attempt, authentication } = details
    const { ipAddress, userAgent } = attempt
    const session = { ...(ipAddress !== undefined && { ipAddress }), ...(userAgent !== undefined && { userAgent }) }
    return [
      { eventType: 'login.attempt', members: { attempt } },
      ...(authentication ? [{ eventType: 'user.authenticated', members: { user, authentication, session } }] : []),
    ]
  },
  profile_updated: ({ body: user, details: { changes } }: Given<'profile_updated'>): EventContents[] => [
    { eventType: 'user.profile_updated', members: { user }, changes },
  ],
  user_deleted: ({ body: user }: Given<'user_deleted'>): EventContents[] => [
    { eventType: 'user.deleted', members: { user } },
  ],
  rate_limited: ({ body: user, details: { rateLimit, request } }: Given<'rate_limited'>): EventContents[] => [
    { eventType: 'rate_limit.exceeded', members: { rateLimit, user, request } },
  ],
}
