import type { CreatedUniverse } from '../../src/schemas/universe.ts'
import { type Session, saveSession, saveSessionFor } from '../lib/session.ts'
import { forgetPerson, readStored, removeStored, store, storeFor } from '../lib/storage.ts'

// The account that owns a universe. The service shows its password only when the universe is made, so the tab keeps it
// until the person has read it.

/** The data that the owner of a universe needs to use it. */
export interface Owner {
  url: string
  email: string
  password: string
  token: string
}

const KEY = 'owner'
const RESET = 'reset'

export function ownerOf({ url, owner: { email, password }, token }: CreatedUniverse): Owner {
  return { url, email, password, token }
}

/**
 * Signs the owner in to the universe, in this tab.
 *
 * @param pageUrl The URL of this page
 * @returns Whether the pages of the universe will find the session and the account. They will not if they have another
 * origin, or if the browser refuses to store the data
 */
export function enterAsOwner(owner: Owner, pageUrl: string): boolean {
  const { origin, pathname } = new URL(owner.url)
  if (origin !== new URL(pageUrl).origin) return false
  const { email, token } = owner
  return saveSessionFor(pathname, { email, token }) && storeFor(pathname, KEY, JSON.stringify(owner))
}

/** The owner of this universe, if this tab has created it and the user has not dismissed the data. */
export function loadOwner(): Owner | undefined {
  const text = readStored(KEY)
  return text === null ? undefined : JSON.parse(text)
}

export function forgetOwner(): void {
  removeStored(KEY)
}

/** Forgets what this tab remembers of the universe before its reset. Its owner stays signed in. */
export function noteReset(session: Session): void {
  const owner = readStored(KEY)
  forgetPerson()
  saveSession(session)
  if (owner !== null) store(KEY, owner)
  store(RESET, 'done')
}

/** Whether the universe was reset before this page was loaded. Only the first call says so. */
export function takeReset(): boolean {
  const isReset = readStored(RESET) !== null
  removeStored(RESET)
  return isReset
}
