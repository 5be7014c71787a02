import { useState } from 'hono/jsx/dom'
import { Outcome, readForm, useAction } from '../lib/action.tsx'
import { Dialog } from '../lib/dialog.tsx'
import { describeCall, useAccess } from './access.ts'
import { PasswordField } from './sign-in.tsx'

/** Deletes the account, after a confirmation with the password. */
export function DeleteAccount({ onDeleted }: { onDeleted(): void }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <div class="panel">
      <h3>Delete the account</h3>
      <p>
        This also deletes your planets and their images, your API keys, your OAuth clients with the access that users
        gave them, the access that you gave to applications, your subscriptions and your delivery log. It cannot be
        undone.
      </p>
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        Delete the account …
      </button>
      {isAsking && <DeletionDialog onDeleted={onDeleted} onClose={() => setAsking(false)} />}
    </div>
  )
}

function DeletionDialog({ onDeleted, onClose }: { onDeleted(): void; onClose(): void }) {
  const access = useAccess()
  const action = useAction()
  const remove = async (event: Event) => {
    const { deletionPassword = '' } = readForm(event)
    const isDone = await action.run(async () => {
      await access.call(describeCall('DELETE', '/me', { password: deletionPassword }))
      return undefined
    })
    if (isDone) onDeleted()
  }
  return (
    <Dialog title="Delete your account?" onClose={onClose}>
      <p>
        This deletes the account of <strong>{access.email}</strong> and everything in it. Type its password to confirm.
      </p>
      <form onSubmit={remove}>
        <PasswordField label="Password" name="deletionPassword" autocomplete="current-password" />
        <Outcome of={action} />
        <button type="submit" class="danger" aria-disabled={action.isBusy}>
          Delete everything
        </button>
        <button type="button" class="secondary" onClick={onClose}>
          Cancel
        </button>
      </form>
    </Dialog>
  )
}
