import { expect } from 'vitest'
import type { ProblemCode } from '../../src/domain/problems.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import { bodyOf, ORIGIN } from './app.ts'

/**
 * Checks that a refusal has the format of its route: a problem document; JSON of OAuth, whatever the client accepts;
 * or a page.
 *
 * @param code The code of a problem document; the other formats have a single code for every invalid request
 * @returns The description of the error
 */
export async function expectRefusal(
  { errorStyle }: Route,
  response: Response,
  status: number,
  code: ProblemCode,
): Promise<string> {
  expect(response.status).toBe(status)
  return await READERS[errorStyle ?? 'problem'](response, code)
}

type Reader = (response: Response, code: ProblemCode) => Promise<string>

const READERS: Record<NonNullable<Route['errorStyle']> | 'problem', Reader> = {
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
    const [, alert = ''] = /<p class="fault" role="alert">(.*?)<\/p>/s.exec(await response.text()) ?? []
    return alert
  },
}
