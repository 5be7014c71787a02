/**
 * Registry: OAuth errors: code -> meaning, and the status of the response if the error is not sent with a redirect. The
 * meaning is only for readers of this table. Sources: RFC 6749, sections 4.1.2.1 and 5.2; RFC 6750, section 3.1; RFC
 * 7591, section 3.2.2; RFC 8628, section 3.5; RFC 8707, section 2; OpenID Connect Core 1.0, section 3.1.2.6.
 */
export const OAUTH_ERRORS = {
  invalid_request: { status: 400, meaning: 'A parameter is missing, repeated or invalid.' },
  invalid_client: { status: 401, meaning: 'The client is unknown or not authenticated.' },
  invalid_grant: {
    status: 400,
    meaning: 'The code, token or password is wrong, expired, already used, or was issued to another client.',
  },
  unauthorized_client: {
    status: 400,
    meaning: 'The client is not registered for this grant type or response type, or may not use it.',
  },
  unsupported_grant_type: { status: 400, meaning: 'The grant type is not supported.' },
  unsupported_response_type: { status: 400, meaning: 'The response type is not supported.' },
  invalid_scope: { status: 400, meaning: 'The scope is unknown or cannot be granted.' },
  invalid_target: { status: 400, meaning: 'The resource is not this service.' },
  access_denied: { status: 400, meaning: 'The user or the service denied the request.' },
  authorization_pending: { status: 400, meaning: 'The user has not decided yet.' },
  slow_down: { status: 400, meaning: 'As authorization_pending, and the client must ask less often.' },
  expired_token: { status: 400, meaning: 'The device code has expired.' },
  login_required: { status: 400, meaning: 'The user must sign in first.' },
  consent_required: { status: 400, meaning: 'The user must give consent first.' },
  request_not_supported: { status: 400, meaning: 'Request objects are not supported.' },
  request_uri_not_supported: { status: 400, meaning: 'References to request objects are not supported.' },
  invalid_redirect_uri: { status: 400, meaning: 'A redirect URI cannot be registered.' },
  invalid_client_metadata: {
    status: 400,
    meaning: 'The metadata of the client, other than its redirect URIs, cannot be registered.',
  },
  invalid_token: { status: 401, meaning: 'The credential is wrong, expired or revoked.' },
  insufficient_scope: { status: 403, meaning: 'The credential does not have the required scope.' },
  server_error: { status: 500, meaning: 'An unexpected error occurred in the service.' },
  temporarily_unavailable: { status: 503, meaning: 'Try again later.' },
} as const satisfies Record<string, { status: number; meaning: string }>

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS

/** An error that is sent to an OAuth client or shown to its user. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly headers: Readonly<Record<string, string>>

  /** @param description For the developer of the client, in ASCII (RFC 6749, section 5.2) */
  constructor(code: OAuthErrorCode, description: string, headers: Readonly<Record<string, string>> = {}) {
    super(description)
    this.code = code
    this.headers = headers
  }

  /** The status of the response if the error is not sent with a redirect. */
  get status(): number {
    return OAUTH_ERRORS[this.code].status
  }
}
