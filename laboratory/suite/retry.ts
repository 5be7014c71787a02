import { type Body, type CaseSchema, closed, type DeclaredCase, integer, rfc, text } from './declare.ts'

const body: Body = { mediaType: 'application/json', schema: closed({ name: text }), input: { name: 'blue' } }

const SECONDS: Readonly<Record<string, CaseSchema>> = { 'Retry-After': integer }
const DATE: Readonly<Record<string, CaseSchema>> = { 'Retry-After': text }
const RETRY_AFTER = rfc(9110, '10.2.3')
const IDEMPOTENT = rfc(9110, '9.2.2')

/** Cases of retries, which a script answers. Only runs have them. */
export const RETRY: readonly DeclaredCase[] = [
  {
    name: 'after-seconds',
    level: 'extended',
    title: '503 with Retry-After in seconds, then 200: not before its time',
    specification: RETRY_AFTER,
    retry: { script: 'after-seconds', responses: { 503: { description: 'Try again later', headers: SECONDS } } },
  },
  {
    name: 'after-date',
    level: 'extended',
    title: '503 with Retry-After as a date, then 200: not before its time',
    specification: RETRY_AFTER,
    retry: { script: 'after-date', responses: { 503: { description: 'Try again later', headers: DATE } } },
  },
  {
    name: 'limit-429',
    level: 'extended',
    title: '429 with Retry-After and RateLimit, then 200: not before its time',
    specification: rfc(6585, '4'),
    retry: {
      script: 'limit-429',
      responses: {
        429: { description: 'Too many requests', headers: { ...SECONDS, RateLimit: text, 'RateLimit-Policy': text } },
      },
    },
  },
  {
    name: 'not-400',
    level: 'extended',
    title: 'Always 400: it is not sent again',
    specification: rfc(9110, '15.5.1'),
    retry: { script: 'not-400', responses: { 400: { description: 'The request is wrong, whenever it is sent' } } },
  },
  {
    name: 'post-once',
    level: 'extended',
    title: 'The response to POST is lost: it is not sent again without a key',
    specification: IDEMPOTENT,
    body,
    retry: {
      script: 'post-once',
      responses: {},
      first: {
        operationId: 'retryPostOnceFirst',
        method: 'get',
        description: 'Comes before POST: begins the case anew, and uses the connection.',
      },
    },
  },
  {
    name: 'same-key',
    level: 'extended',
    title: '503 to POST with an Idempotency-Key, then 201: the same key again, not before its time',
    specification: IDEMPOTENT,
    parameters: [{ in: 'header', name: 'Idempotency-Key', isRequired: true, schema: text, input: 'lab-1' }],
    body,
    retry: {
      script: 'same-key',
      status: 201,
      responses: { 503: { description: 'Try again later', headers: SECONDS } },
    },
  },
]
