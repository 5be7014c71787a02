import { OWNER_ID } from '../../src/domain/universe.ts'
import type { User } from '../../src/schemas/user.ts'
import { CallFailed, call } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
import { authorization, loadSession } from '../lib/session.ts'

/** Who the person of this tab is in the universe. `expired`: somebody whose session has ended. */
export type Role = 'owner' | 'user' | 'visitor' | 'expired'

/**
 * Asks the service who has signed in.
 *
 * @throws CallFailed if there is no answer, or if the call is refused for another reason than the end of the session
 */
export async function readRole(): Promise<Role> {
  const session = loadSession()
  if (!session) return 'visitor'
  try {
    const { id }: User = await call({ method: 'GET', url: urlOf('/me'), headers: [authorization(session)] })
    return id === OWNER_ID ? 'owner' : 'user'
  } catch (error) {
    if (error instanceof CallFailed && error.isSignedOut) return 'expired'
    throw error
  }
}
