import type { Inbox } from '../../src/schemas/inbox.ts'
import { Outcome, readForm, useAction } from '../lib/action.tsx'
import { useDraft } from '../lib/draft.ts'
import { describeCall, useAccess } from './access.ts'

export function InboxResponse({ inbox, path }: { inbox: Inbox; path: string }) {
  const access = useAccess()
  const { form, forget } = useDraft(`inbox-response.${inbox.id}`)
  const action = useAction()
  const change = (event: Event) => {
    const { status = '', body = '' } = readForm(event)
    return action.run(async () => {
      await access.call(describeCall('PUT', path, { status: Number(status), body }))
      forget()
      return `The inbox responds with ${status} from now on.`
    })
  }
  return (
    <form ref={form} onSubmit={change}>
      <h3>What it responds with</h3>
      <p class="hint" id="response-hint">
        With 503, the service retries the call, and the attempts appear below. With 204, it makes no more calls about
        the planet.
      </p>
      <div class="row response-fields">
        <div>
          <label for="response-status">Status</label>
          <input
            id="response-status"
            name="status"
            type="number"
            min={200}
            max={599}
            required
            value={inbox.status}
            aria-describedby="response-hint"
          />
        </div>
        <div class="grow">
          <label for="response-body">Body (optional, text)</label>
          <input id="response-body" type="text" name="body" maxlength={4096} value={inbox.body} autocomplete="off" />
        </div>
        <button type="submit" aria-disabled={action.isBusy}>
          Set
        </button>
      </div>
      <Outcome of={action} />
    </form>
  )
}
