import { expect } from 'vitest'
import {
  type Arrived,
  type Expected,
  type ExpectedBody,
  type ExpectedParameter,
  type ExpectedPart,
  type JudgedCase,
  type Judgement,
  VERSIONS,
} from '../../case.ts'
import { judgeRequest } from '../../judge/index.ts'
import { expectNamedPart } from './named-part.ts'

export const text = (value: string): Expected => ({ is: 'text', value })
export const integer = (value: number | string): Expected => ({ is: 'integer', value: String(value) })
export const number = (value: number): Expected => ({ is: 'number', value })
export const boolean = (value: boolean): Expected => ({ is: 'boolean', value })
export const instant = (value: string): Expected => ({ is: 'instant', value })
export const nothing: Expected = { is: 'null' }
export const list = (...items: Expected[]): Expected => ({ is: 'list', items })
export const object = (members: Record<string, Expected>): Expected => ({ is: 'object', members })

export const blue = text('blue')
export const colors = list(text('blue'), text('black'), text('brown'))
export const rgb = object({ R: integer(100), G: integer(200), B: integer(150) })
export const evening = instant('2026-02-28T23:30:00+02:00')

/** A parameter with the name `color`, in the style that is usual in its place. */
export function parameter(place: ExpectedParameter['in'], over: Partial<ExpectedParameter> = {}): ExpectedParameter {
  const style = place === 'path' || place === 'header' ? 'simple' : 'form'
  return { in: place, name: place === 'header' ? 'X-Color' : 'color', style, explode: style === 'form', ...over }
}

export function caseOf(id: JudgedCase['id'], over: Partial<JudgedCase> = {}): JudgedCase {
  return { id, operationId: 'x', level: 'core', versions: VERSIONS, method: 'GET', path: `/${id}`, wire: null, ...over }
}

export const pathCase = (over: Partial<ExpectedParameter>): JudgedCase =>
  caseOf('path/x', { path: '/path/x/{color}', parameters: [parameter('path', over)] })

export const queryCase = (...over: Partial<ExpectedParameter>[]): JudgedCase =>
  caseOf('query/x', { parameters: over.map((one) => parameter('query', one)) })

export const headerCase = (over: Partial<ExpectedParameter>): JudgedCase =>
  caseOf('header/x', { parameters: [parameter('header', over)] })

export const cookieCase = (...over: Partial<ExpectedParameter>[]): JudgedCase =>
  caseOf('cookie/x', { parameters: over.map((one) => parameter('cookie', one)) })

export const bodyCase = (body: ExpectedBody, id: JudgedCase['id'] = 'body/x'): JudgedCase =>
  caseOf(id, { method: 'POST', body })

export const jsonCase = (expected: Expected): JudgedCase =>
  bodyCase({ as: 'json', mediaType: 'application/json', expected })

export const multipartCase = (parts: readonly ExpectedPart[]): JudgedCase =>
  bodyCase({ as: 'multipart', mediaType: 'multipart/form-data', parts }, 'multipart/x')

export const FORM_TYPE = 'application/x-www-form-urlencoded'
export const formCase = (...over: Partial<ExpectedParameter>[]): JudgedCase =>
  bodyCase({ as: 'form', mediaType: FORM_TYPE, fields: over.map((one) => parameter('form', one)) }, 'form/x')

interface Sent {
  method?: string
  /** After the slash. */
  rest?: string
  query?: string
  headers?: Record<string, string>
  type?: string
  body?: string | Uint8Array
}

export function arrive({ method = 'GET', rest = '', query = '', headers = {}, type, body = '' }: Sent): Arrived {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return {
    method,
    rest: rest && `/${rest}`,
    query,
    headers: new Headers({ ...headers, ...(type && { 'Content-Type': type }) }),
    body: bytes,
  }
}

export const judgeSent = (judged: JudgedCase, sent: Sent): Judgement => judgeRequest(judged, arrive(sent))

/** What is expected of a judgement: `pass`, or a verdict with its byte. */
export type Wanted = 'pass' | readonly ['fail' | 'non-strict', at: number]

export function expectJudgement(judgement: Judgement, wanted: Wanted): void {
  const [verdict, at] = wanted === 'pass' ? ['pass', null] : wanted
  expect([judgement.verdict, judgement.at, judgement.reason]).toEqual([
    verdict,
    at,
    verdict === 'pass' ? null : expect.stringMatching(/^.{1,200}$/su),
  ])
  expectNamedPart(judgement)
}
