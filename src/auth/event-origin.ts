import type { LoginAttempt, Origin, Registration } from '../events/happening.ts'
import type { AuthContext } from './scheme.ts'

// The data about a request that the log records. Client addresses and e-mail addresses are only in events that go to a
// single user.

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/
/** Maximum length in characters. */
const USER_AGENT_MAX = 512

/** The request that causes events, for the log. @param user The caller; undefined if nobody is authenticated */
export function eventOriginOf(
  user: { id: number } | undefined,
  { requestId, trace }: Pick<AuthContext, 'requestId' | 'trace'>,
): Origin {
  return { requestId, ...(user && { userId: user.id }), ...(trace && { trace }) }
}

export function describeRegistration(method: Registration['method'], context: AuthContext): Registration {
  return { method, source: 'api', ...clientOf(context) }
}

export function describeAttempt(email: string, reason: LoginAttempt['reason'], context: AuthContext): LoginAttempt {
  const userAgent = context.headers.get('User-Agent')?.slice(0, USER_AGENT_MAX)
  const client = { ...clientOf(context), ...(userAgent !== undefined && { userAgent }) }
  return { email, success: reason === 'success', reason, ...client }
}

/** The client's address for an event. Absent for IPv6, because the schema of events allows only IPv4 addresses. */
function clientOf({ clientAddress }: Pick<AuthContext, 'clientAddress'>): { ipAddress?: string } {
  return IPV4.test(clientAddress) ? { ipAddress: clientAddress } : {}
}
