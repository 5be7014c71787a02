import { parse } from 'hono/utils/cookie'
import { withoutBrowserCookie } from '../../domain/browser-cookie.ts'
import { sentHeaders } from '../../lib/http.ts'
import type { JsonValue } from '../../lib/json.ts'
import { readAuthentication } from './authentication.ts'
import type { DescribedBody } from './body.ts'
import { groupByName } from './group.ts'

type Values = Record<string, JsonValue>

/** A request, as it is told to who sent it. */
export interface EchoMessage extends DescribedBody {
  method: string
  /** As it was sent, without the prefix `/echo`. */
  path: string
  headers: Values
  cookies: Values
  /** What is repeated is a list. */
  query: Values
  /** Absent where there is no `Authorization` that can be told apart. */
  authentication?: Values
}

/** Tells a request, without its body. */
export function describeHead({ method, url, headers }: Request, path: string): EchoMessage {
  const authentication = readAuthentication(headers.get('Authorization') ?? '')
  const cookie = withoutBrowserCookie(headers.get('Cookie') ?? '')
  return {
    method,
    path,
    headers: Object.fromEntries(sentHeaders(headers).flatMap((header) => describeHeader(header, cookie))),
    cookies: parse(cookie),
    query: groupByName(new URL(url).searchParams),
    ...(authentication && { authentication }),
  }
}

/** A header as it is told: the one of the cookies without our own, and not at all where there is no other. */
function describeHeader([name, value]: [string, string], cookie: string): [string, string][] {
  if (name !== 'cookie') return [[name, value]]
  return cookie === '' ? [] : [[name, cookie]]
}
