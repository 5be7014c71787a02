import { useState } from 'hono/jsx/dom'
import { call } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
import { Failure } from '../lib/failure.tsx'
import { usePresence } from '../lib/load.ts'
import { saveSession } from '../lib/session.ts'
import { CREDENTIALS, FieldOf } from './fields.tsx'
import type { Walk } from './use-walk.ts'

/** Gets a new token at the step at which the old one failed, so that the tour continues there. */
export function SignInAgain({ walk }: { walk: Walk }) {
  const [failure, setFailure] = useState<unknown>(undefined)
  const { inputs } = walk.state
  const isPresent = usePresence()
  async function signIn(event: Event) {
    event.preventDefault()
    const { email, password } = inputs
    const headers = [['Content-Type', 'application/json']] as const
    const body = { text: JSON.stringify({ email, password }) }
    try {
      const { token } = await call({ method: 'POST', url: urlOf('/auth/token'), headers, body })
      // Ignored if the user has started the tour again since.
      if (!isPresent.current) return
      saveSession({ email, token })
      walk.forgetFailure()
    } catch (error) {
      if (isPresent.current) setFailure(error)
    }
  }
  return (
    <form class="panel" onSubmit={signIn}>
      {CREDENTIALS.map((field) => (
        <FieldOf key={field.name} field={field} value={inputs[field.name]} keep={walk.keep} />
      ))}
      <button key="sign-in" type="submit">
        Sign in again
      </button>
      <button key="sign-up" type="button" class="secondary" onClick={() => walk.goTo('signup')}>
        Go back to Sign up
      </button>
      {failure !== undefined && <Failure key="failure" error={failure} />}
    </form>
  )
}
