import type { EventContents } from './event-contents.ts'
import type { ContentOf } from './happening.ts'

// The events of a user, which nobody else gets.

export const USER_EVENTS = {
  user_signed_up: ({ body: user, details: { registration } }: ContentOf<'user_signed_up'>): EventContents[] => [
    { eventType: 'user.signed_up', members: { user, registration } },
  ],
  login: ({ body: user, details }: ContentOf<'login'>): EventContents[] => {
    const { attempt, authentication } = details
    const { ipAddress, userAgent } = attempt
    const session = { ...(ipAddress !== undefined && { ipAddress }), ...(userAgent !== undefined && { userAgent }) }
    return [
      { eventType: 'login.attempt', members: { attempt } },
      ...(authentication ? [{ eventType: 'user.authenticated', members: { user, authentication, session } }] : []),
    ]
  },
  profile_updated: ({ body: user, details: { changes } }: ContentOf<'profile_updated'>): EventContents[] => [
    { eventType: 'user.profile_updated', members: { user }, changes },
  ],
  user_deleted: ({ body: user }: ContentOf<'user_deleted'>): EventContents[] => [
    { eventType: 'user.deleted', members: { user } },
  ],
  rate_limited: ({ body: user, details: { rateLimit, request } }: ContentOf<'rate_limited'>): EventContents[] => [
    { eventType: 'rate_limit.exceeded', members: { rateLimit, user, request } },
  ],
}
