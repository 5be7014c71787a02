import { useState } from 'hono/jsx/dom'
import { forgetOwner, loadOwner } from './owner.ts'
import { OwnerPanel } from './owner-panel.tsx'

/** What the person should read once: that the universe was reset, and the account that owns it. */
export function UniverseNotes({ isReset }: { isReset: boolean }) {
  const [owner, setOwner] = useState(loadOwner)
  const putAway = () => {
    forgetOwner()
    setOwner(undefined)
    // The button that had the focus is gone.
    document.querySelector<HTMLElement>('#universe-state button')?.focus()
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
