import { KEY_SCOPES, SCOPES } from '../../src/domain/scopes.ts'
import { Outcome, readForm, useAction } from '../lib/action.tsx'
import { CallFailed } from '../lib/api.ts'
import { useDraft } from '../lib/draft.ts'
import { describeCall, useAccess } from './access.ts'
import type { NewKey } from './new-key-store.ts'

export function CreateKey({ onCreated }: { onCreated(key: NewKey): void }) {
  const access = useAccess()
  const { form, forget } = useDraft('key')
  const action = useAction()
  const create = (event: Event) => {
    const { name = '', expiresAt = '' } = readForm(event)
    const scopes = readScopes(event)
    return action.run(async () => {
      if (scopes.length === 0) throw new CallFailed('A key needs a scope.', 'Choose at least one.')
      const body = {
        ...(name !== '' && { name }),
        scopes,
        ...(expiresAt !== '' && { expiresAt: new Date(expiresAt).toISOString() }),
      }
      const key: NewKey = await access.call(describeCall('POST', '/me/api-keys', body))
      forget()
      form.current?.reset()
      onCreated(key)
      return undefined
    })
  }
  return (
    <form ref={form} onSubmit={create} class="panel">
      <label for="key-name">Name (optional)</label>
      <input id="key-name" type="text" name="name" maxlength={200} autocomplete="off" />
      <ScopeBoxes />
      <label for="key-expiry">Expires at (optional)</label>
      <input id="key-expiry" name="expiresAt" type="datetime-local" aria-describedby="key-expiry-hint" />
      <p class="hint" id="key-expiry-hint">
        Without a time, the key does not expire.
      </p>
      <button type="submit" aria-disabled={action.isBusy}>
        Create the key
      </button>
      <Outcome of={action} />
    </form>
  )
}

function readScopes(event: Event): string[] {
  const { currentTarget } = event
  return currentTarget instanceof HTMLFormElement ? new FormData(currentTarget).getAll('scope').map(String) : []
}

function ScopeBoxes() {
  return (
    <fieldset>
      <legend>What the key may do</legend>
      {KEY_SCOPES.map((scope) => (
        <label key={scope} class="box">
          <input type="checkbox" name="scope" value={scope} checked />
          <span>
            <code>{scope}</code>: {SCOPES[scope]}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
