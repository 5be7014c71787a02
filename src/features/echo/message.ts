import type { PageWorld } from '../../design/universe-bar.ts'
import { withoutBrowserCookie } from '../../domain/browser-cookie.ts'
import { withoutPlatformHeaders } from '../../lib/http.ts'
import type { JsonValue } from '../../lib/json.ts'
import { readAuthentication } from './authentication.ts'
import type { DescribedBody } from './body.ts'
import { readCookies } from './cookies.ts'
import { groupByName } from './group.ts'

type Values = Record<string, JsonValue>

/** A request, as the echo describes it to its sender. */
export interface EchoMessage extends DescribedBody {
  method: string
  /** As it was sent, without the prefix `/echo`. */
  path: string
  headers: Values
  /** By name. The value of a name that is sent several times is a list. */
  cookies: Values
  /** The parameters of the query, grouped in the same way. */
  query: Values
  /** Absent if there is no `Authorization` that the echo can decode. */
  authentication?: Values
}

export function describeHead({ method, url, headers }: Request, path: string): EchoMessage {
  const authentication = readAuthentication(headers.get('Authorization') ?? '')
  const cookie = withoutBrowserCookie(headers.get('Cookie') ?? '')
  return {
    method,
    path,
    headers: Object.fromEntries(withoutPlatformHeaders(headers).flatMap((header) => describeHeader(header, cookie))),
    cookies: readCookies(cookie),
    query: groupByName(new URL(url).searchParams),
    ...(authentication && { authentication }),
  }
}

/**
 * Lists what the echo shows of a header: one entry, or none. `Cookie` is shown without the service's own cookie. If it
 * has no other cookie, it is omitted.
 *
 * @param cookie The header `Cookie` without the service's own cookie
 */
function describeHeader([name, value]: [string, string], cookie: string): [string, string][] {
  if (name !== 'cookie') return [[name, value]]
  return cookie === '' ? [] : [[name, cookie]]
}

export interface EchoWorld extends PageWorld {
  /** The prefix of links to pages of the service; null if the address of the service is unknown. */
  linkBase: string | null
}
