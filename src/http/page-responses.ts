import { doc } from '#doc'
import type { HeaderName } from './headers.ts'
import { HTML } from './pages.ts'

// The error responses of routes with the error style `page`.

export const PAGE_HEADERS: readonly HeaderName[] = ['Content-Security-Policy', 'Set-Cookie']
const htmlPage = { files: [HTML], headers: PAGE_HEADERS } as const

export const PAGE_FAILURES = {
  400: {
    component: 'HtmlBadRequest',
    description: doc('A page that explains what is wrong with the request'),
    ...htmlPage,
  },
  500: {
    component: 'HtmlInternalServerError',
    description: doc('A page that reports an unexpected error in the service'),
    ...htmlPage,
  },
  503: {
    component: 'HtmlServiceUnavailable',
    description: doc('A page that asks the user to try again later'),
    files: [HTML],
    headers: [...PAGE_HEADERS, 'Retry-After'],
  },
} as const

/** The error of pages about something that may not exist. */
export const PAGE_NOT_FOUND = {
  404: { component: 'HtmlNotFound', description: doc('A page that says what does not exist'), ...htmlPage },
} as const
