import type { Context, Hono } from 'hono'
import type { Caller } from '../../auth/scheme.ts'
import type { Session } from '../../db/client.ts'
import { clientNetwork } from '../../lib/client-address.ts'
import type { Services } from '../../services.ts'
import type { ErrorStyle } from '../errors/error-styles.ts'
import type { FormatName } from './formats.ts'

/** What Hono carries through a request. */
export interface HonoEnv {
  Bindings: { services: Services }
  Variables: {
    /** UUID of the request: the caller's own, if it sent a valid one. */
    requestId: string
    /** Origin of the service as this caller sees it; the issuer of its tokens. */
    baseUrl: string
    /** How the route tells what went wrong; undefined where that is a problem document. */
    errors: ErrorStyle | undefined
    /** Undefined until a route has opened it. */
    session: Session | undefined
    /** Undefined on a public route. */
    caller: Caller | undefined
    /** What the route's `prefetch` has read. */
    prefetched: unknown
    /** The format that the caller likes best; undefined on a route that sends no documents. */
    format: FormatName | undefined
  }
}

export type App = Hono<HonoEnv>
export type HonoContext = Context<HonoEnv>

/** The service as a handler sees it: what it may use, and nothing of the HTTP library. */
export interface RequestContext {
  services: Services
  session: Session
  baseUrl: string
  /** As it was sent: HEAD comes to the handler of GET. */
  method: string
  /** As it was sent, with every parameter that is repeated. */
  query: URLSearchParams
  /** For the conditions that the request sets. */
  headers: Headers
  /** The format of the answer. */
  format: FormatName
  /** What limits count a client by: its IPv4 address, or the /64 of its IPv6 address. */
  clientAddress: string
  /** When the handler began, which is one moment for all that it does. */
  now: Date
}

/** Who the platform says the client is; a caller's own X-Forwarded-For means nothing. */
export function clientAddressOf(headers: Headers): string {
  return clientNetwork(headers.get('CF-Connecting-IP') ?? 'unknown')
}
