import { useRef, useState } from 'hono/jsx/dom'
import { Failure } from './failure.tsx'
import { usePresence } from './load.ts'

export interface Action {
  isBusy: boolean
  error: unknown
  /** What was done, in a sentence; undefined until it is done. */
  done: string | undefined
  /** Does the work, unless it is already in progress. @returns Whether it succeeded */
  run(work: () => Promise<string | undefined>): Promise<boolean>
}

const NOTHING = { isBusy: false, error: undefined, done: undefined }

export function useAction(): Action {
  const [state, setState] = useState<Omit<Action, 'run'>>(NOTHING)
  const isRunning = useRef(false)
  const isPresent = usePresence()
  const show = (next: Omit<Action, 'run'>) => {
    if (isPresent.current) setState(next)
  }
  const run = async (work: () => Promise<string | undefined>): Promise<boolean> => {
    if (isRunning.current) return false
    isRunning.current = true
    show({ ...NOTHING, isBusy: true })
    try {
      const done = await work()
      show({ ...NOTHING, done })
      return true
    } catch (error) {
      show({ ...NOTHING, error })
      return false
    } finally {
      isRunning.current = false
    }
  }
  return { ...state, run }
}

/**
 * Shows the outcome of an action. The element is always there, because a screen reader announces only changes of it.
 */
export function Outcome({ of: { error, done } }: { of: Action }) {
  return (
    <div role="status" class="outcome">
      {error !== undefined && <Failure error={error} />}
      {done !== undefined && <p class="notice good">{done}</p>}
    </div>
  )
}

/**
 * Reads the fields of a form that is being submitted, by their names, and prevents the browser from leaving the page.
 */
export function readForm(event: Event): Readonly<Record<string, string>> {
  event.preventDefault()
  if (!(event.currentTarget instanceof HTMLFormElement)) throw new Error('only a form is submitted')
  const fields = [...new FormData(event.currentTarget)]
  return Object.fromEntries(fields.map(([name, value]) => [name, typeof value === 'string' ? value : value.name]))
}
