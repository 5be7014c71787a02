import { type HeaderName, RATE_LIMIT_HEADERS } from '../../http/headers.ts'
import { HTML } from '../../http/pages.ts'
import { RETRY_AFTER_SECONDS } from '../../http/problem.ts'
import { OAuthErrorDocument } from '../../schemas/oauth-error.ts'

const LIMITED: readonly HeaderName[] = ['Retry-After', ...RATE_LIMIT_HEADERS]

const json = { schema: OAuthErrorDocument }

/** What every OAuth endpoint can answer besides what it is for. */
export const OAUTH_FAILURES = {
  400: { description: 'The request cannot be fulfilled', ...json },
  413: { description: 'The body is too large', ...json },
  415: { description: 'The body is of another media type', ...json },
  500: { description: 'Something went wrong on our side', ...json },
  503: {
    description: 'Come back later',
    ...json,
    headers: ['Retry-After'],
    exampleHeaders: { 'Retry-After': RETRY_AFTER_SECONDS },
  },
} as const

/** Where a credential has to be right. */
const CHALLENGED: readonly HeaderName[] = ['WWW-Authenticate', ...RATE_LIMIT_HEADERS]

export const OAUTH_UNAUTHORIZED = {
  401: { description: 'Who calls has not proved who it is', ...json, headers: CHALLENGED },
} as const

export const OAUTH_FORBIDDEN = {
  403: { description: 'Who calls may not do this', ...json, headers: ['WWW-Authenticate'] },
} as const

export const OAUTH_LIMITED = { 429: { description: 'Too many attempts', ...json, headers: LIMITED } } as const

const PAGE_HEADERS: readonly HeaderName[] = ['Content-Security-Policy', 'Set-Cookie']
const page = { files: [HTML], headers: PAGE_HEADERS } as const

/** What every page of the provider can answer. */
export const PAGES = {
  200: { description: 'A page', ...page },
  303: { description: 'It goes on there', headers: ['Location', 'Set-Cookie'] },
  400: { description: 'A page that says what is wrong', ...page },
  403: { description: 'A page that says what may not be', ...page },
  429: { description: 'A page that says when to come back', files: [HTML], headers: [...PAGE_HEADERS, ...LIMITED] },
  500: { description: 'A page that says that it is our fault', ...page },
  503: { description: 'A page that says to come back', files: [HTML], headers: [...PAGE_HEADERS, 'Retry-After'] },
} as const

/** Pages that take a form. */
export const FORM_PAGES = {
  ...PAGES,
  401: {
    description: 'The page again: e-mail or password are wrong',
    ...page,
    headers: [...PAGE_HEADERS, 'WWW-Authenticate', ...RATE_LIMIT_HEADERS],
  },
  413: { description: 'A page that says that the form is too large', ...page },
  415: { description: 'A page that says that this is no form', ...page },
} as const
