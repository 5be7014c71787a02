import type { User } from '../../src/schemas/user.ts'
import { Outcome, readForm, useAction } from '../lib/action.tsx'
import { useDraft } from '../lib/draft.ts'
import { Failure } from '../lib/failure.tsx'
import { useLoaded } from '../lib/load.ts'
import { describeCall, useAccess } from './access.ts'
import { ChangePassword } from './change-password.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { SameCalls } from './same-calls.tsx'
import { HEADING_PROPS } from './use-selection.ts'

const READ = describeCall('GET', '/me')

interface ProfileProps {
  /** The session is over. @param farewell What has happened */
  onEnd(farewell: string): void
  /** The session has a new token. */
  onRenewed(): void
}

/** The name, the password, and the end of the account. */
export function Profile({ onEnd, onRenewed }: ProfileProps) {
  const access = useAccess()
  const { data, error, reload } = useLoaded<User>(() => access.call(READ), [access.signIns])
  return (
    <>
      <h2 {...HEADING_PROPS}>Profile</h2>
      {error !== undefined && <Failure error={error} />}
      {!data && error === undefined && <p>Loading …</p>}
      {data && <ChangeName user={data} onChanged={reload} />}
      <ChangePassword onRenewed={onRenewed} onEnd={onEnd} />
      <DeleteAccount onDeleted={() => onEnd('Your account was deleted.')} />
      <SameCalls
        requests={[
          READ,
          describeCall('PATCH', '/me', { name: 'Grace' }),
          describeCall('PUT', '/me/password', { currentPassword: '…', newPassword: '…' }),
          describeCall('DELETE', '/me', { password: '…' }),
        ]}
      />
    </>
  )
}

function ChangeName({ user, onChanged }: { user: User; onChanged(): Promise<void> }) {
  const access = useAccess()
  const { form, forget } = useDraft('name')
  const action = useAction()
  const change = (event: Event) => {
    const { name = '' } = readForm(event)
    return action.run(async () => {
      await access.call(describeCall('PATCH', '/me', { name: name === '' ? null : name }))
      forget()
      await onChanged()
      return name === '' ? 'Your name was removed.' : `Your name is ${name} now.`
    })
  }
  return (
    <form ref={form} onSubmit={change} class="panel">
      <h3>Your name</h3>
      <label for="name">Name (optional)</label>
      <input
        type="text"
        id="name"
        name="name"
        maxlength={200}
        autocomplete="name"
        value={user.name ?? ''}
        aria-describedby="name-hint"
      />
      <p class="hint" id="name-hint">
        Everybody sees it beside your planets. Your user id is {user.id}.
      </p>
      <button type="submit" aria-disabled={action.isBusy}>
        Save the name
      </button>
      <Outcome of={action} />
    </form>
  )
}
