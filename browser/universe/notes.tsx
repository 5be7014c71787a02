import { useState } from 'hono/jsx/dom'
import { forgetOwner, loadOwner } from './owner.ts'
import { OwnerPanel } from './owner-panel.tsx'

/** Notes below the bar: that the universe was reset, and its owner's account until the user has saved it. */
export function UniverseNotes({ isReset }: { isReset: boolean }) {
  const [owner, setOwner] = useState(loadOwner)
  const dismiss = () => {
    forgetOwner()
    setOwner(undefined)
    // The button that had the focus is gone. The next one is the button that resets the universe. It appears when the
    // service has said that the user is the owner. Before that, the name of the universe gets the focus.
    const [resetButton, name] = ['#universe-state button', '.universe-name'].map((part) =>
      document.querySelector<HTMLElement>(part),
    )
    ;(resetButton ?? name)?.focus()
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
