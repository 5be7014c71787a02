import { useState } from 'hono/jsx/dom'
import { forgetOwner, loadOwner } from './owner.ts'
import { OwnerPanel } from './owner-panel.tsx'

/** What the person should read once: that the universe was reset, and the account that owns it. */
export function UniverseNotes({ isReset }: { isReset: boolean }) {
  const [owner, setOwner] = useState(loadOwner)
  const putAway = () => {
    forgetOwner()
    setOwner(undefined)
    // The button that had the focus is gone. The bar has no other one until the service has said who the person is.
    const [button, name] = ['#universe-state button', '.universe-name'].map((part) =>
      document.querySelector<HTMLElement>(part),
    )
    ;(button ?? name)?.focus()
  }
  return (
    <>
      {isReset && (
        <p class="notice good" role="status">
          The universe was reset. Everything is as it was at the beginning.
        </p>
      )}
      {owner && (
        <OwnerPanel owner={owner}>
          <div class="row">
            <button type="button" class="secondary small" onClick={putAway}>
              I have saved it
            </button>
          </div>
        </OwnerPanel>
      )}
    </>
  )
}
