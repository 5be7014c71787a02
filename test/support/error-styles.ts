import { expect } from 'vitest'
import type { ProblemCode } from '../../src/domain/problems.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import { bodyOf, ORIGIN } from './app.ts'

/**
 * Holds a refusal to the style of its route: a problem document; JSON of OAuth, whatever is accepted; or a page.
 *
 * @param code Of the problem, where it is one; any other style has one word for all that is wrong with a request
 * @returns What it says was wrong
 */
export async function expectRefusal(
  { errors }: Route,
  response: Response,
  status: number,
  code: ProblemCode,
): Promise<string> {
  expect(response.status).toBe(status)
  return await READERS[errors ?? 'problem'](response, code)
}

type Reader = (response: Response, code: ProblemCode) => Promise<string>

const READERS: Record<NonNullable<Route['errors']> | 'problem', Reader> = {
  async problem(response, code) {
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    const { type, detail } = await bodyOf(response)
    expect(type).toBe(`${ORIGIN}/problems/${code}`)
    return detail
  },
  async oauth(response) {
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const { error, error_description, ...rest } = await bodyOf(response)
    expect(error).toBe('invalid_request')
    expect(rest).toEqual({})
    return error_description
  },
  async page(response) {
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    const [, alert = ''] = /<p role="alert">(.*)<\/p>/s.exec(await response.text()) ?? []
    return alert
  },
}
