import { useState } from 'hono/jsx/dom'
import { forgetOwner, loadOwner } from './owner.ts'
import { OwnerPanel } from './owner-panel.tsx'

/** Notes that are shown once: that the universe was reset, and the account that owns it. */
export function UniverseNotes({ isReset }: { isReset: boolean }) {
  const [owner, setOwner] = useState(loadOwner)
  const dismiss = () => {
    forgetOwner()
    setOwner(undefined)
    // Moves the focus, because the button that had it is gone. The bar has no other one until the service has said who
    // the user is.
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
            <button type="button" class="secondary small" onClick={dismiss}>
              I have saved it
            </button>
          </div>
        </OwnerPanel>
      )}
    </>
  )
}
