import type { Answer, Expected, Members } from './answer.ts'
import { PROBLEM } from './shapes.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A header whose value is an HTTP-date (RFC 9110, section 5.6.7). */
export const HTTP_DATE: Expected = {
  what: 'an HTTP-date',
  holds: (value) => !Number.isNaN(Date.parse(value)) && new Date(value).toUTCString() === value,
}

/** An error: the status, and a problem document that says the same. */
export function expectProblem(answer: Answer, ...statuses: number[]): Members {
  answer.expectStatus(...statuses)
  const problem = answer.json(PROBLEM, /^application\/problem\+json(;|$)/)
  answer.expect(problem.status === answer.status, `the member status ${answer.status}`)
  return problem
}

/** A response has the id of its request. */
export function expectRequestId(answer: Answer): void {
  answer.expectHeader('X-Request-ID', UUID)
}

/** How long the request took, in whole milliseconds. */
export function expectProcessingTime(answer: Answer): void {
  answer.expectHeader('X-Processing-Time', /^\d+$/)
}

/** `X-Cache-Control` says the same as `Cache-Control`. */
export function expectCacheControl(answer: Answer): void {
  answer.expectHeader('X-Cache-Control', answer.expectHeader('Cache-Control'))
}

/** Whether two values of JSON are the same, in whatever order their members are. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}
