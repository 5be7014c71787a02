import { basePathOf } from './base-url.ts'

/** Browsers accept a cookie whose name begins like this only if it is Secure (RFC 6265bis, section 4.1.3). */
type SecurePrefix = '__Host-' | '__Secure-'

/** A cookie that identifies a browser on the HTML pages of one world. */
interface BrowserCookie {
  name: string
  path: string
  secure: boolean
}

const NAME = 'galaxy-browser'
/**
 * The name in a world with a path. Browsers send the cookies of the host to this path too. If the names were equal, the
 * cookie of the common world could be mistaken for the cookie of this world.
 */
const NAME_BELOW_PATH = 'galaxy-universe'

/** The name without a prefix is for http on a local machine, where not every browser stores a Secure cookie. */
export function browserCookieOf(baseUrl: string): BrowserCookie {
  const basePath = basePathOf(baseUrl)
  const secure = baseUrl.startsWith('https:')
  // A cookie with a path other than `/` cannot have the prefix `__Host-`.
  const prefix: SecurePrefix = basePath === '' ? '__Host-' : '__Secure-'
  const name = basePath === '' ? NAME : NAME_BELOW_PATH
  return { name: secure ? prefix + name : name, path: basePath || '/', secure }
}

const BROWSER_COOKIE_PAIR = new RegExp(`^\\s*(?:__(?:Host|Secure)-)?(?:${NAME}|${NAME_BELOW_PATH})=`)

/** Removes those of all worlds. Scripts must not be able to read these cookies, but an echo would show them. */
export function withoutBrowserCookie(header: string): string {
  return header
    .split(';')
    .filter((pair) => !BROWSER_COOKIE_PAIR.test(pair))
    .join(';')
}
