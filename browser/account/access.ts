import { createContext, useContext } from 'hono/jsx/dom'
import type { ShownRequest } from '../../src/design/shown-request.ts'
import { CallFailed, call } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
import { authorization, loadSession } from '../lib/session.ts'

/** How the sections call the API as the signed-in user. */
export interface Access {
  email: string
  /**
   * How often the user has signed in. When this changes, data that could not be loaded without a session are loaded
   * again.
   */
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

/** Describes a call of the signed-in user, both to show it and to make it. The credential is added when it is made. */
export function describeCall(method: string, path: string, body?: object): ShownRequest {
  const url = urlOf(path)
  if (!body) return { method, url, headers: [] }
  return { method, url, headers: [['Content-Type', 'application/json']], body: { text: JSON.stringify(body) } }
}

interface SessionEvents {
  /** The service has refused the token. */
  onExpired(): void
  /** The session is that of another user, or of nobody, because another page of this tab has changed it. */
  onReplaced(): void
}

/** Creates the access for a session. It never calls as a user other than the one that the page shows. */
export function makeAccess(email: string, signIns: number, { onExpired, onReplaced }: SessionEvents): Access {
  return {
    email,
    signIns,
    async call(request) {
      // The stored session may be newer than the one with which this component was rendered.
      const session = loadSession()
      if (session?.email !== email) {
        onReplaced()
        // The page is about to reload. The promise never settles, so that the page shows no result before.
        return new Promise(() => {})
      }
      try {
        return await call({ ...request, headers: [...request.headers, authorization(session)] })
      } catch (error) {
        if (error instanceof CallFailed && error.isSignedOut) onExpired()
        throw error
      }
    },
  }
}
