import type { Context, Hono } from 'hono'
import type { Caller } from '../../auth/scheme.ts'
import type { SchemeName } from '../../auth/schemes.ts'
import type { ReplyKeeper } from '../../changes/commit.ts'
import type { NumberedTable, TakenIds } from '../../changes/ids.ts'
import type { Session } from '../../db/port.ts'
import { imageBaseUrlOf } from '../../domain/image-url.ts'
import type { ProblemError } from '../../domain/problems.ts'
import { clientNetwork } from '../../lib/client-address.ts'
import type { Line } from '../../lib/log-line.ts'
import type { Trace } from '../../lib/trace-context.ts'
import type { Services } from '../../services.ts'
import type { ErrorStyle } from '../errors/error-styles.tsx'
import { DEFAULT_FORMAT, type FormatName } from './formats.ts'

export interface HonoEnv {
  Bindings: {
    services: Services
    /** The error with which this request must be refused before a route is chosen, such as the end of its universe. */
    refusal?: ProblemError | undefined
    /** Whether the refusal is a page for callers that prefer one. */
    refusesWithPage?: boolean
    /** Receives the log line of this request. Absent if the line is written at once. */
    takeLine?: ((line: Line) => void) | undefined
  }
  Variables: {
    /** UUID of the request: the one in X-Request-ID if it is valid, otherwise a new one. */
    requestId: string
    url: URL
    /** The trace that the request belongs to; undefined if there is none. */
    trace: Trace | undefined
    /** The path of the route, with the names of its parameters; undefined as long as no route is found. */
    routePath: string | undefined
    /** Whether the route only reads public data. */
    isPublicRead: boolean | undefined
    /** The scheme of the accepted credential; undefined if there is none. */
    scheme: SchemeName | undefined
    /** As this caller sees it. It is also the issuer of the caller's tokens. Empty if it is unknown. */
    baseUrl: string
    /** The error style of the route; undefined if errors are problem documents. */
    errorStyle: ErrorStyle | undefined
    /** The session of the database. Undefined until a route has opened it. */
    session: Session | undefined
    /** The authenticated user. Undefined if no credentials were checked. */
    caller: Caller | undefined
    /** The body of a request with a Content-Encoding; undefined if it has none, or was not read. */
    decodedBody: Uint8Array<ArrayBuffer> | undefined
    /** Keeps the reply for retries. Undefined if the request has no Idempotency-Key. */
    replyKeeper: ReplyKeeper | undefined
    /** Whether the response must not have `X-Processing-Time`, because it has to break the document. */
    omitsProcessingTime: boolean | undefined
    prefetched: unknown
    /**
     * The format of documents that the caller prefers (JSON or XML). Undefined if the route sends no documents, or if
     * the caller gets an HTML page.
     */
    format: FormatName | undefined
  }
}

export type App = Hono<HonoEnv>
export type HonoContext = Context<HonoEnv, string, Parameters>

/**
 * The path parameters (`c.req.valid('param')`), the query (`c.req.valid('query')`) and the headers that the route
 * declares (`c.req.valid('header')`), as the schemas of the route have parsed them; undefined if it has none. Only the
 * route knows their types.
 */
export interface Parameters {
  out: { param: unknown; query: unknown; header: unknown }
}

/** The context of a handler: the service and the request, without the HTTP library. */
export interface RequestContext {
  services: Services
  session: Session
  baseUrl: string
  imageBaseUrl: string
  /** The method as it was sent, because the handler of GET also gets HEAD. */
  method: string
  /** The query as it was sent, including repeated parameters. */
  query: URLSearchParams
  /** The query as a text, with its question mark; empty if the URL has none. */
  search: string
  /** UUID of the request, as the response names it in X-Request-ID. */
  requestId: string
  /** The trace that the request belongs to; undefined if there is none. */
  trace: Trace | undefined
  /** The headers of the request, for conditional requests among others. */
  headers: Headers
  format: FormatName
  /** The key of a client in rate limits: its IPv4 address, or the /64 network of its IPv6 address. */
  clientAddress: string
  /** Keeps the reply for retries; undefined if the request has no Idempotency-Key. */
  replyKeeper: ReplyKeeper | undefined
  /** Takes ids for the rows of a change, as late as possible before `commit`. */
  takeIds<Table extends NumberedTable>(needs: Readonly<Partial<Record<Table, number>>>): Promise<TakenIds<Table>>
  /** The time when the handler began. It is the same for everything that the handler does. */
  now: Date
}

/**
 * Members that few handlers need are computed only when they are read.
 *
 * @throws Error if no route has opened a session yet
 */
export function contextOf(c: HonoContext): RequestContext {
  const session = c.get('session')
  if (!session) throw new Error('the session was not opened before it was used')
  const { services } = c.env
  const { headers } = c.req.raw
  return {
    services,
    session,
    baseUrl: c.get('baseUrl'),
    method: c.req.method,
    requestId: c.get('requestId'),
    trace: c.get('trace'),
    headers,
    format: c.get('format') ?? DEFAULT_FORMAT,
    now: services.now(),
    replyKeeper: c.get('replyKeeper'),
    takeIds: (needs) => services.ids.take(session, needs),
    get imageBaseUrl() {
      return imageBaseUrlOf(c.get('baseUrl'), services.config.imageHost)
    },
    get query() {
      return c.get('url').searchParams
    },
    get search() {
      return c.get('url').search
    },
    get clientAddress() {
      return clientAddressOf(headers)
    },
  }
}

/** The client's address according to the platform. X-Forwarded-For is not used, because the client can set it. */
export function clientAddressOf(headers: Headers): string {
  return clientNetwork(headers.get('CF-Connecting-IP') ?? 'unknown')
}
