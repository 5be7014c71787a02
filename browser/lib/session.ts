import { forgetPerson, readStored, store, storeFor } from './storage.ts'

// The signed-in user. The token is in the session storage: it survives a reload, and ends with the tab. It is never in
// a URL or a cookie.

/** A user who has signed in on a page. */
export interface Session {
  email: string
  token: string
}

const KEY = 'session'

/** The session of this tab; undefined if nobody has signed in. */
export function loadSession(): Session | undefined {
  const text = readStored(KEY)
  return text === null ? undefined : JSON.parse(text)
}

export function saveSession(session: Session): void {
  store(KEY, JSON.stringify(session))
}

/**
 * Signs a user in to another world of this origin.
 *
 * @param basePath The path of that world
 * @returns Whether the pages of that world will find the session
 */
export function saveSessionFor(basePath: string, session: Session): boolean {
  return storeFor(basePath, KEY, JSON.stringify(session))
}

/**
 * Ends the session, and removes everything that the pages of this tab have stored about the user, such as drafts and
 * the tour.
 */
export function endSession(): void {
  forgetPerson()
}

/** The header that authenticates a call. */
export function authorization({ token }: Session): readonly [string, string] {
  return ['Authorization', `Bearer ${token}`]
}
