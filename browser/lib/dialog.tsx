import type { Child } from 'hono/jsx'
import { useEffect, useId, useRef } from 'hono/jsx/dom'
import { useAction } from './action.tsx'
import { Failure } from './failure.tsx'

interface DialogProps {
  title: string
  /** Called when the person closes the dialog, also with the Escape key. */
  onClose(): void
  children?: Child
}

/** A modal dialog. The page below keeps its state. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    // The component may be removed before its effect runs.
    if (!dialog?.isConnected) return
    dialog.showModal()
    dialog.addEventListener('close', onClose)
    return () => {
      dialog.removeEventListener('close', onClose)
      // This returns the focus to where it was before the dialog.
      dialog.close()
    }
  }, [])
  return (
    <dialog ref={element} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

interface ConfirmationProps extends DialogProps {
  /** The text of the button that confirms, such as `Delete`. */
  verb: string
  onConfirm(): Promise<void>
}

/** Asks for confirmation of something that cannot be undone. The dialog stays open if the action fails. */
export function Confirmation({ title, verb, onConfirm, onClose, children }: ConfirmationProps) {
  const action = useAction()
  const confirm = () =>
    action.run(async () => {
      await onConfirm()
      return undefined
    })
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {action.error !== undefined && <Failure error={action.error} />}
      <div class="row">
        <button type="button" class="danger" aria-disabled={action.isBusy} onClick={confirm}>
          {verb}
        </button>
        <button type="button" class="secondary" autofocus onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}
