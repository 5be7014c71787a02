import { doc } from '#doc'
import type { OAuthErrorCode } from '../../domain/oauth-errors.ts'
import { PROBLEMS } from '../../domain/problems.ts'
import { FORM_TYPE } from '../../http/body/form.ts'
import { BUSY_RETRY_AFTER_SECONDS } from '../../http/errors/database-refusals.ts'
import { type HeaderName, RATE_LIMIT_HEADERS, UNSUPPORTED_HEADERS } from '../../http/headers.ts'
import { PAGE_FAILURES, PAGE_HEADERS } from '../../http/page-responses.ts'
import { HTML } from '../../http/pages.ts'
import { OAuthErrorDocument } from '../../schemas/oauth-error.ts'

const LIMIT_HEADERS: readonly HeaderName[] = ['Retry-After', ...RATE_LIMIT_HEADERS]
const CHALLENGE_HEADERS: readonly HeaderName[] = ['WWW-Authenticate', ...RATE_LIMIT_HEADERS]

/** An error response, with one of its errors as the example. */
function describeFailure(component: string, description: string, error: OAuthErrorCode, example: string) {
  const document: OAuthErrorDocument = { error, error_description: example }
  return { component, description, schema: OAuthErrorDocument, example: document }
}

export const OAUTH_FAILURES = {
  400: describeFailure(
    'OAuthBadRequest',
    doc('The request is not valid'),
    'invalid_request',
    'The parameter grant_type is missing.',
  ),
  413: describeFailure(
    'OAuthContentTooLarge',
    doc('The body is too large'),
    'invalid_request',
    'The body can have at most 65536 bytes.',
  ),
  415: {
    ...describeFailure(
      'OAuthUnsupportedMediaType',
      doc('The media type or the content coding of the body is not supported'),
      'invalid_request',
      'Unsupported media type: text/plain. Supported: application/x-www-form-urlencoded.',
    ),
    headers: UNSUPPORTED_HEADERS,
    exampleHeaders: { Accept: FORM_TYPE },
  },
  500: describeFailure(
    'OAuthInternalServerError',
    doc('An unexpected error occurred in the service'),
    'server_error',
    PROBLEMS['internal-error'].example.detail,
  ),
  503: {
    ...describeFailure(
      'OAuthServiceUnavailable',
      doc('The service is temporarily unavailable'),
      'temporarily_unavailable',
      PROBLEMS['service-unavailable'].example.detail,
    ),
    headers: ['Retry-After'],
    exampleHeaders: { 'Retry-After': BUSY_RETRY_AFTER_SECONDS },
  },
} as const

/** The error of endpoints at which a client or a user authenticates. */
export const OAUTH_UNAUTHORIZED = {
  401: {
    ...describeFailure(
      'OAuthUnauthorized',
      doc('Authentication failed'),
      'invalid_client',
      'The client secret is wrong.',
    ),
    headers: CHALLENGE_HEADERS,
  },
} as const

/** The error of endpoints that require a scope. */
export const OAUTH_FORBIDDEN = {
  403: {
    ...describeFailure(
      'OAuthForbidden',
      doc('The credential does not permit this request'),
      'insufficient_scope',
      PROBLEMS['insufficient-scope'].example.detail,
    ),
    headers: ['WWW-Authenticate'],
  },
} as const

/** The error of endpoints that limit how many attempts or writes they accept. */
export const OAUTH_LIMITED = {
  429: {
    ...describeFailure(
      'OAuthTooManyRequests',
      doc('Too many attempts'),
      'temporarily_unavailable',
      PROBLEMS['too-many-requests'].example.detail,
    ),
    headers: LIMIT_HEADERS,
  },
} as const

/** The errors of endpoints that accept an Idempotency-Key. */
export const OAUTH_KEYED = {
  409: describeFailure(
    'OAuthConflict',
    doc('A request with the same Idempotency-Key is in progress'),
    'invalid_request',
    PROBLEMS['request-in-progress'].example.detail,
  ),
  422: describeFailure(
    'OAuthUnprocessableContent',
    doc('Another request was sent with the same Idempotency-Key'),
    'invalid_request',
    PROBLEMS['idempotency-key-reused'].example.detail,
  ),
} as const

const htmlPage = { files: [HTML], headers: PAGE_HEADERS } as const

/** The responses that every HTML page of the provider can return. */
export const PAGES = {
  200: { component: 'ProviderPage', description: doc('A page of the provider'), ...htmlPage },
  303: {
    component: 'ProviderRedirect',
    description: doc('Redirect to the next step'),
    headers: ['Location', 'Set-Cookie'],
    exampleHeaders: { Location: '/oauth/authorize?response_type=code&client_id=galaxy-reference' },
  },
  ...PAGE_FAILURES,
  403: {
    component: 'HtmlForbidden',
    description: doc('A page that explains why the request is not allowed'),
    ...htmlPage,
  },
  429: {
    component: 'HtmlTooManyRequests',
    description: doc('A page that says when the user can try again'),
    files: [HTML],
    headers: [...PAGE_HEADERS, ...LIMIT_HEADERS],
  },
} as const

/** The responses of routes that accept the form of an HTML page. */
export const FORM_PAGES = {
  ...PAGES,
  401: {
    component: 'HtmlUnauthorized',
    description: doc('The same page again, because the e-mail address or the password is wrong'),
    ...htmlPage,
    headers: [...PAGE_HEADERS, 'WWW-Authenticate', ...RATE_LIMIT_HEADERS],
  },
  413: {
    component: 'HtmlContentTooLarge',
    description: doc('A page that says that the form is too large'),
    ...htmlPage,
  },
  415: {
    component: 'HtmlUnsupportedMediaType',
    description: doc('A page that says that the body is not a form, or that its coding is not supported'),
    ...htmlPage,
    headers: [...PAGE_HEADERS, ...UNSUPPORTED_HEADERS],
  },
} as const

/** The responses of the route that accepts the form of the sign-up page. */
export const SIGN_UP_PAGES = {
  ...PAGES,
  409: {
    component: 'HtmlConflict',
    description: doc('The form again, because the e-mail address belongs to an account'),
    ...htmlPage,
    headers: [...PAGE_HEADERS, ...RATE_LIMIT_HEADERS],
  },
  413: FORM_PAGES[413],
  415: FORM_PAGES[415],
  422: {
    component: 'HtmlUnprocessableContent',
    description: doc('The form again, because the password cannot be used'),
    ...htmlPage,
  },
} as const
