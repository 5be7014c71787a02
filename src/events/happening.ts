import type { Trace } from '../lib/trace-context.ts'
import type { Planet } from '../schemas/planet.ts'
import type { Satellite } from '../schemas/satellite.ts'

// The content of a row of the log. One request writes one row, with everything that it has caused. The events are
// derived from it (events-of.ts), so what they share is stored once.

/** A user in events. */
export interface EventUser {
  id: number
  name?: string | undefined
}

/** A top-level member that differs. What is absent is null. */
export interface FieldChange {
  field: string
  oldValue: unknown
  newValue: unknown
}

/** The part of every row that is about its request. */
export interface Origin {
  /** The X-Request-ID of the response. Absent if the service acted by itself. */
  requestId?: string
  /** The caller. Absent if there is none. */
  userId?: number
  /** The trace of the request, for the callbacks that it causes. No event shows it. Absent if there is none. */
  trace?: Trace
}

/** The picture of an upload. */
export interface UploadedImage {
  url: string
  fileSize: number
  mimeType: string
  uploadedAt: string
}

/** An attempt to sign in. */
export interface LoginAttempt {
  email: string
  success: boolean
  reason: 'success' | 'invalid_credentials' | 'account_locked'
  ipAddress?: string
  userAgent?: string
}

/** How a user was authenticated. */
export interface Authentication {
  method: 'bearer_token' | 'oauth'
  tokenType: 'JWT' | 'OAuth'
  expiresAt?: string
}

/** The kinds of rows. `body` is the text that callbacks send, if there are callbacks. `details` has the rest. */
export interface Happenings {
  planet_created: { body: Planet; details: Origin }
  /** `old` has the earlier values of the members that differ. If it is absent, `before` is the whole earlier planet. */
  planet_updated: {
    body: Planet
    details: Origin & { old?: OldValues; before?: Planet; image?: UploadedImage; uploader?: EventUser }
  }
  /** `reason`: why the service has deleted it. Absent if its creator has. */
  planet_deleted: { body: Planet; details: Origin & { reason?: string } }
  planet_exploded: { body: Planet; details: Origin }
  /** Satellites that belong to no planet. */
  satellites_created: { body: Satellite[]; details: Origin }
  user_signed_up: { body: EventUser; details: Origin & { registration: Registration } }
  login: { body: EventUser; details: Origin & { attempt: LoginAttempt; authentication?: Authentication } }
  profile_updated: { body: EventUser; details: Origin & { changes: FieldChange[] } }
  user_deleted: { body: EventUser; details: Origin }
  rate_limited: { body: EventUser; details: Origin & { rateLimit: RateLimit; request: LimitedRequest } }
  /** An event on demand: `body` is its payload, without its id, type, time and metadata. */
  triggered: { body: Record<string, unknown>; details: Origin & { type: string } }
  /** Nothing that any event may report. */
  nothing: { body: object; details: Origin }
  /** A credential has ended. It causes no event, but it closes the sockets that were opened with it. */
  credential_ended: { body: EndedCredential; details: Origin }
}

/** A credential that has ended: a key or a grant, or all of a user, if it names neither. */
export interface EndedCredential {
  userId: number
  keyId?: number
  grantId?: string
}

export interface Registration {
  method: 'email' | 'sso'
  source: 'api'
  ipAddress?: string
}

export interface RateLimit {
  limit: number
  /** A duration of ISO 8601. */
  window: string
  exceededBy: number
}

export interface LimitedRequest {
  endpoint: string
  method: string
}

export type OldValues = Record<string, unknown>

export type Kind = keyof Happenings

/** A happening: its kind, body and details. */
export type Happening = { [K in Kind]: { kind: K } & Happenings[K] }[Kind]

/** A row of the log, as it is stored. */
export interface LogRow {
  /** Its place in the log, which gives its order. */
  place: number
  kind: Kind
  /** The only user who may see its events; null if all who may read planets may. */
  userId: number | null
  planetId: number | null
  eventCount: number
  createdAt: Date
  salt: number
  /** JSON. */
  body: string
  /** JSON. */
  details: string
}
