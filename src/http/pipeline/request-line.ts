import type { SchemeName } from '../../auth/schemes.ts'
import { costOf, type Meter } from '../../db/port.ts'
import type { Line } from '../../lib/log-line.ts'
import type { HonoContext } from './context.ts'
import { OPERATION_METHODS } from './route.ts'

// The line of the log about a request, and the times that its response shows. A secret can be anywhere in a request,
// even in its path or its method. So the line and the times contain no text from the request, except ids of a known
// form.

const METHODS = [...OPERATION_METHODS.map((method) => method.toUpperCase()), 'HEAD', 'OPTIONS']

interface RequestLine {
  event: 'request'
  requestId: string
  /** Absent if the request belongs to no trace. */
  traceId?: string
  /** `other` if the method is not one of the methods of APIs. */
  method: string
  /** The path as the OpenAPI document has it, with the names of its parameters; `unknown` if there is no such path. */
  route: string
  status: number
  /** The time until the response began. If the response is a stream, its content is sent later. */
  durationMs: number
  /** How the caller was authenticated; `none` if no credential was accepted. */
  scheme: SchemeName | 'none'
  roundTrips: number
  rowsRead: number
  rowsWritten: number
  databaseMs: number
  /** `common`, or the id of a universe. */
  world: string
}

/** Describes a request whose response is ready. */
export function describeRequest(c: HonoContext, meter: Meter, durationMs: number): Line {
  const trace = c.get('trace')
  const line: RequestLine = {
    event: 'request',
    requestId: c.get('requestId'),
    ...(trace && { traceId: trace.id }),
    method: METHODS.includes(c.req.method) ? c.req.method : 'other',
    route: c.get('routePath') ?? 'unknown',
    status: c.res.status,
    durationMs,
    scheme: c.get('scheme') ?? 'none',
    ...costOf(meter),
    world: c.env.services.worldId ?? 'common',
  }
  // The copy fits the type `Line`. An interface does not, because it has no index signature.
  return { ...line }
}

/**
 * The value of `Server-Timing`; undefined if the response must not have it. The time that the check of a password takes
 * would help attackers to guess the password. So the header is only sent for public reads and for requests with an
 * accepted credential, and never if the request has a password.
 */
export function serverTimingOf(c: HonoContext, meter: Meter, durationMs: number): string | undefined {
  const presentsPassword = /^basic\b/i.test(c.req.header('Authorization') ?? '')
  const isHarmless = c.get('isPublicRead') === true || c.get('scheme') !== undefined
  if (!isHarmless || presentsPassword) return undefined
  return `db;dur=${meter.milliseconds};desc="round trips: ${meter.roundTrips}", total;dur=${durationMs}`
}
