import type { Trace } from '../lib/trace-context.ts'
import type { Planet } from '../schemas/planet.ts'
import type { Satellite } from '../schemas/satellite.ts'

// The content of a row of the log. One request writes one row, with everything that the request has caused. Several
// events can be derived from a row (events-of.ts), so data that these events share is stored only once.

export interface EventUser {
  id: number
  name?: string | undefined
}

/** A change of a top-level member. Null stands for an absent value. */
export interface FieldChange {
  field: string
  oldValue: unknown
  newValue: unknown
}

/** The part of every row that is about its request. */
export interface Origin {
  /** The X-Request-ID of the response. Absent if the service acted by itself. */
  requestId?: string
  /** The id of the caller. Absent if the caller is anonymous. */
  userId?: number
  /** The trace of the request, which its callbacks continue. Events do not contain it. Absent if there is no trace. */
  trace?: Trace
}

export interface UploadedImage {
  url: string
  /** In bytes. */
  fileSize: number
  mimeType: string
  uploadedAt: string
}

export interface LoginAttempt {
  email: string
  success: boolean
  reason: 'success' | 'invalid_credentials' | 'account_locked'
  ipAddress?: string
  userAgent?: string
}

export interface Authentication {
  method: 'bearer_token' | 'oauth'
  tokenType: 'JWT' | 'OAuth'
  expiresAt?: string
}

/**
 * The content of each kind of row. `body` becomes the text that callbacks send, if the kind has callbacks. `details`
 * has all other data.
 */
export interface Happenings {
  planet_created: { body: Planet; details: Origin }
  /** `old` has the earlier values of the changed members. */
  planet_updated: {
    body: Planet
    details: Origin & { old: OldValues; image?: UploadedImage; uploader?: EventUser }
  }
  /** `reason`: why the service itself deleted the planet. Absent if the creator of the planet deleted it. */
  planet_deleted: { body: Planet; details: Origin & { reason?: string } }
  planet_exploded: { body: Planet; details: Origin }
  /** Satellites that belong to no planet. */
  satellites_created: { body: Satellite[]; details: Origin }
  user_signed_up: { body: EventUser; details: Origin & { registration: Registration } }
  login: { body: EventUser; details: Origin & { attempt: LoginAttempt; authentication?: Authentication } }
  profile_updated: { body: EventUser; details: Origin & { changes: FieldChange[] } }
  user_deleted: { body: EventUser; details: Origin }
  rate_limited: { body: EventUser; details: Origin & { rateLimit: RateLimit; request: LimitedRequest } }
  /** An event on demand. `body` is the payload without the id, the type, the time and the metadata. */
  triggered: { body: Record<string, unknown>; details: Origin & { type: string } }
  /** A row without events. It is written so that a request takes as long as one that causes events. */
  nothing: { body: object; details: Origin }
  /**
   * A credential has ended. This causes no event, but the hub closes the sockets that were opened with the credential.
   */
  credential_ended: { body: EndedCredential; details: Origin }
}

/** An API key or a grant that has ended. If both ids are absent, all credentials of the user have ended. */
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

/** The earlier values of changed members, by the name of the member. Null stands for an absent value. */
export type OldValues = Record<string, unknown>

export type Kind = keyof Happenings

/** The body and the details of a row of this kind. */
export type ContentOf<K extends Kind> = Happenings[K]

export type Happening = { [K in Kind]: { kind: K } & Happenings[K] }[Kind]

export interface LogRow {
  /** The sequence number of the row in the log. */
  place: number
  kind: Kind
  /** The only user who may see the events of the row; null if everybody who may read planets may see them. */
  userId: number | null
  /** The planet that the row is about; null if the row is not about one planet. */
  planetId: number | null
  eventCount: number
  createdAt: Date
  /** The random part of the ids of the events (domain/event-id.ts). */
  salt: string
  /** JSON. */
  body: string
  /** JSON. */
  details: string
}

/** A row of the log with the size of its texts in UTF-8. */
export interface SizedLogRow extends LogRow {
  bytes: number
}
