import { useRef } from 'hono/jsx/dom'
import { Outcome, readForm, useAction } from '../lib/action.tsx'
import { CallFailed } from '../lib/api.ts'
import { describeCall, useAccess } from './access.ts'
import { signIn } from './credentials.ts'
import { PasswordField } from './sign-in.tsx'

interface ChangePasswordProps {
  /** The session has a new token. */
  onRenewed(): void
  /** The session is over. @param farewell What has happened */
  onEnd(farewell: string): void
}

/** The form that changes the password. The change ends all tokens, so the form then signs the user in again. */
export function ChangePassword({ onRenewed, onEnd }: ChangePasswordProps) {
  const access = useAccess()
  const form = useRef<HTMLFormElement>(null)
  const action = useAction()
  const change = (event: Event) => {
    const { currentPassword = '', newPassword = '' } = readForm(event)
    return action.run(async () => {
      await access.call(describeCall('PUT', '/me/password', { currentPassword, newPassword }))
      form.current?.reset()
      // The password was changed, even if the sign-in fails.
      if (await trySignIn(access.email, newPassword)) onRenewed()
      else onEnd('Your password was changed. Sign in again.')
      return 'Your password was changed.'
    })
  }
  return (
    <form ref={form} onSubmit={change} class="panel">
      <h3>Your password</h3>
      <input type="hidden" name="email" autocomplete="username" value={access.email} />
      <PasswordField label="Current password" name="currentPassword" autocomplete="current-password" />
      <PasswordField
        label="New password"
        name="newPassword"
        autocomplete="new-password"
        hint="At least 6 characters. A new password ends all tokens, API keys and what applications may do. You stay signed in here."
      />
      <button type="submit" aria-disabled={action.isBusy}>
        Change the password
      </button>
      <Outcome of={action} />
    </form>
  )
}

async function trySignIn(email: string, password: string): Promise<boolean> {
  try {
    await signIn(email, password)
    return true
  } catch (error) {
    if (error instanceof CallFailed) return false
    throw error
  }
}
