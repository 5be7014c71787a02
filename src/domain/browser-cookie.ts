/** The cookie by which a browser is known on our own pages, over https and over http. */
export const BROWSER_COOKIE = { secure: '__Host-galaxy-browser', plain: 'galaxy-browser' }

const OWN_COOKIE = /^\s*(?:__Host-)?galaxy-browser=/

/** A Cookie header without it: no script is to read it, and an echo would show it to one. */
export function withoutBrowserCookie(header: string): string {
  return header
    .split(';')
    .filter((pair) => !OWN_COOKIE.test(pair))
    .join(';')
}
