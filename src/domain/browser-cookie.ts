/**
 * The cookie that identifies a browser on the HTML pages of this service: its name over https (`secure`) and http
 * (`plain`).
 */
export const BROWSER_COOKIE = { secure: '__Host-galaxy-browser', plain: 'galaxy-browser' }

const BROWSER_COOKIE_PAIR = /^\s*(?:__Host-)?galaxy-browser=/

/** Removes this cookie from a Cookie header. Scripts must not read it, but an echo would show it to them. */
export function withoutBrowserCookie(header: string): string {
  return header
    .split(';')
    .filter((pair) => !BROWSER_COOKIE_PAIR.test(pair))
    .join(';')
}
