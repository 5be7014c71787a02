import { createContext, useContext } from 'hono/jsx/dom'
import type { ShownRequest } from '../../src/design/shown-request.ts'
import { CallFailed, call, urlOf } from '../lib/api.ts'
import { authorization, loadSession } from '../lib/session.ts'

/** How the sections call the API as the signed-in user. */
export interface Access {
  email: string
  /** How often the user has signed in. What failed because the session had ended is loaded again when this changes. */
  signIns: number
  /**
   * Makes a call that should succeed. If the session has ended, the page asks the user to sign in again.
   *
   * @throws CallFailed
   */
  // biome-ignore lint/suspicious/noExplicitAny: the OpenAPI document describes the shapes
  call(request: ShownRequest): Promise<any>
}

const AccessContext = createContext<Access | undefined>(undefined)

export const ProvideAccess = AccessContext.Provider

export function useAccess(): Access {
  const access = useContext(AccessContext)
  if (!access) throw new Error('a section is shown only to signed-in users')
  return access
}

/** A call of the signed-in user, as the page shows it and makes it. The credential is added when it is made. */
export function describe(method: string, path: string, body?: object): ShownRequest {
  const url = urlOf(path)
  if (!body) return { method, url, headers: [] }
  return { method, url, headers: [['Content-Type', 'application/json']], body: { text: JSON.stringify(body) } }
}

/** The access of a session. @param onExpired Called when the service refuses the token */
export function makeAccess(email: string, signIns: number, onExpired: () => void): Access {
  return {
    email,
    signIns,
    async call(request) {
      // The stored session is the newest one, whatever this component was drawn with.
      const session = loadSession()
      const headers = session ? [...request.headers, authorization(session)] : request.headers
      try {
        return await call({ ...request, headers })
      } catch (error) {
        if (error instanceof CallFailed && error.isSignedOut) onExpired()
        throw error
      }
    },
  }
}
