import { CallFailed, call } from '../lib/api.ts'
import { saveSession } from '../lib/session.ts'
import { describeCall } from './access.ts'

/** Signs a user in: the session of this tab is then that of the user. @throws CallFailed */
export async function signIn(email: string, password: string): Promise<void> {
  const { token } = await call(describeCall('POST', '/auth/token', { email, password })).catch(explainRefusedPassword)
  saveSession({ email, token })
}

/** Creates an account and signs its user in. @throws CallFailed */
export async function signUp(email: string, password: string, name: string): Promise<void> {
  await call(describeCall('POST', '/user/signup', { email, password, ...(name !== '' && { name }) }))
  await signIn(email, password)
}

/** Here a 401 does not mean that a session has ended. */
function explainRefusedPassword(error: unknown): never {
  if (!(error instanceof CallFailed) || !error.isSignedOut) throw error
  throw new CallFailed(error.message, 'Check both. If you have no account yet, create one.', error.response)
}
