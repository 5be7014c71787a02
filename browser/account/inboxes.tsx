import type { Inbox } from '../../src/schemas/inbox.ts'
import { Outcome, readForm, useAction } from '../lib/action.tsx'
import { CallFailed } from '../lib/api.ts'
import { useDraft } from '../lib/draft.ts'
import { findInboxId, listInboxes } from '../lib/inbox-store.ts'
import { describeCall, useAccess } from './access.ts'
import { SameCalls } from './same-calls.tsx'
import { hashOf } from './selection.ts'
import { HEADING_PROPS } from './use-selection.ts'

const CREATE = describeCall('POST', '/inboxes')

/** The inboxes of this tab, and the ways to get one. */
export function Inboxes() {
  return (
    <>
      <h2 {...HEADING_PROPS}>Inboxes</h2>
      <p>
        An inbox is a URL that records the calls it receives, so that you can try callbacks without a server of your
        own. It exists for 24 hours. Anyone who knows its URL can read, change and delete it, and a planet shows its
        callback URLs to everyone.
      </p>
      <NewInbox />
      <KnownInboxes ids={listInboxes()} />
      <OtherInbox />
      <SameCalls requests={[CREATE]} isPublic />
    </>
  )
}

function NewInbox() {
  const access = useAccess()
  const action = useAction()
  const create = () =>
    action.run(async () => {
      const { id }: Inbox = await access.call(CREATE)
      location.hash = hashOf('inboxes', id)
      return undefined
    })
  return (
    <>
      <button type="button" aria-disabled={action.isBusy} onClick={create}>
        Create an inbox
      </button>
      <Outcome of={action} />
    </>
  )
}

function KnownInboxes({ ids }: { ids: readonly string[] }) {
  return (
    <>
      <h3>Inboxes of this tab</h3>
      {ids.length === 0 ? (
        <p class="empty">There are none yet. Create one, or open one by its URL.</p>
      ) : (
        <ul class="entries">
          {ids.map((id) => (
            <li key={id} class="entry">
              <a href={hashOf('inboxes', id)}>
                <code>{id}</code>
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function OtherInbox() {
  const { form, forget } = useDraft('inbox')
  const action = useAction()
  const open = (event: Event) => {
    const { inbox = '' } = readForm(event)
    return action.run(async () => {
      const id = findInboxId(inbox)
      if (!id) throw new CallFailed('This is not the URL of an inbox.', 'It ends in /inboxes/, an id and /callbacks.')
      forget()
      location.hash = hashOf('inboxes', id)
      return undefined
    })
  }
  return (
    <form ref={form} onSubmit={open} class="narrow">
      <label for="inbox">Open an inbox by its URL or id</label>
      <input id="inbox" type="text" name="inbox" required autocomplete="off" />
      <button type="submit" class="secondary">
        Open
      </button>
      <Outcome of={action} />
    </form>
  )
}
