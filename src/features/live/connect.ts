import { endOf } from '../../auth/authority.ts'
import type { Caller } from '../../auth/scheme.ts'
import { ProblemError, type ProblemOptions } from '../../domain/problems.ts'
import { CONNECTION_HEADER, isAtEdge } from '../../events/held-connections.ts'
import type { HubRefusal, SocketCredential, Subscription, SubscriptionStart } from '../../events/subscription.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { rootCause } from '../../lib/root-cause.ts'

/** How long a client should wait if there are too many connections. */
const TOO_MANY_RETRY_SECONDS = 60
/** How long a client should wait if the hub fails. */
const HUB_RETRY_SECONDS = 1

/** The part of a subscription that does not depend on the caller: the channel, its filters, and where it starts. */
export type SubscriptionInput = Pick<Subscription, 'channel' | 'subject'> &
  Partial<Subscription> &
  Partial<SubscriptionStart>

/**
 * Opens a socket of the hub.
 *
 * @param checkedAt The newest place in the log when the credential of the caller was checked; 0 if there is no caller
 * @returns The end of the socket that the client gets
 * @throws ProblemError 401 if the credential has become invalid; 429 if there are too many connections; 503 if the hub
 * does not work
 */
export async function connect(
  input: SubscriptionInput,
  caller: Caller | undefined,
  checkedAt: number,
  context: RequestContext,
): Promise<WebSocket> {
  const { services, requestId, baseUrl } = context
  const { includesHistory = false, lastEventId = null, ...filters } = input
  const subscription: Subscription = {
    eventTypes: null,
    bodyType: null,
    minHabitability: null,
    isEnveloped: false,
    baseUrl,
    ...filters,
    userId: caller?.id ?? null,
    hearsOwnEvents: caller?.scopes.includes('read:user:events') ?? false,
    holder: caller ? `user ${caller.id}` : `address ${context.clientAddress}`,
    credential: caller ? credentialOf(caller) : null,
    connectionId: connectionIdOf(input, context),
  }
  const limit = services.config.socketLimit
  const start = { requestId, correlationId: requestId, includesHistory, lastEventId, checkedAt, limit }
  const connection = await callHub(() => services.hub.connect(subscription, start))
  if ('refusal' in connection) throw REFUSALS[connection.refusal](limit)
  const { webSocket } = connection.response
  if (!webSocket) throw new Error('the hub opened no socket')
  return webSocket
}

/** The id of the connection to the client; null if the entry of the Worker need not hold the connection. */
function connectionIdOf({ channel }: SubscriptionInput, { services, headers }: RequestContext): string | null {
  // The Worker itself has the other end of the socket of a stream.
  if (channel === 'planetStream' || isAtEdge(headers)) return null
  // In a universe, the entry has set the header (universes/entry.ts).
  return services.hub.sharesObjectWithApp ? headers.get(CONNECTION_HEADER) : crypto.randomUUID()
}

/** The error for each reason for which the hub refuses a socket. */
const REFUSALS: Readonly<Record<HubRefusal, (limit: number) => ProblemError>> = {
  limit: (limit) =>
    tooMany(`You have ${limit} open connections, which is the limit. Close one of them, then try again.`, {
      rateLimit: { key: 'connections', limit, windowSeconds: TOO_MANY_RETRY_SECONDS },
    }),
  full: () => tooMany('This world has the maximum number of open connections. Close one of yours, or try again later.'),
  // The credential ended between its check and the opening of the socket.
  'credential-ended': () =>
    new ProblemError(
      'unauthorized',
      'The credential became invalid during the request. Connect again with a valid credential.',
    ),
}

function tooMany(detail: string, more: ProblemOptions = {}): ProblemError {
  return new ProblemError('too-many-requests', detail, {
    headers: { 'Retry-After': String(TOO_MANY_RETRY_SECONDS) },
    ...more,
  })
}

function credentialOf(caller: Caller): SocketCredential {
  const { keyId, grantId } = caller.credential
  return { userId: caller.id, keyId, grantId, endsAt: endOf(caller) }
}

/** @throws ProblemError 503 if the hub cannot be reached, or cannot read the log */
async function callHub<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    console.error(JSON.stringify({ event: 'hub-failed', error: rootCause(error).message }))
    throw new ProblemError('service-unavailable', 'Live events are temporarily unavailable. Try again shortly.', {
      headers: { 'Retry-After': String(HUB_RETRY_SECONDS) },
    })
  }
}
