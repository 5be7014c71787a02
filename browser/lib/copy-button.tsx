import { type RefObject, useLayoutEffect, useState } from 'hono/jsx/dom'
import { COPY_SHOWN_MS, copyText } from './clipboard.ts'
import { usePresence } from './load.ts'

interface CopyButtonProps {
  /** The element whose text is copied. */
  source: RefObject<HTMLElement | null>
  /** The name of the text, for screen readers. */
  what: string
}

/** Copies a text to the clipboard, and says whether it did. */
export function CopyButton({ source, what }: CopyButtonProps) {
  // An object, so that copying again restarts the time for which the words are shown.
  const [outcome, setOutcome] = useState({ words: '' })
  const isPresent = usePresence()
  useLayoutEffect(() => {
    if (outcome.words === '') return
    const timer = setTimeout(() => setOutcome({ words: '' }), COPY_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  async function copy() {
    if (!source.current) return
    const words = await copyText(source.current)
    if (isPresent.current) setOutcome({ words })
  }
  return (
    <span class="copy">
      <button type="button" class="secondary small" aria-label={`Copy ${what}`} onClick={copy}>
        Copy
      </button>
      <span role="status">{outcome.words}</span>
    </span>
  )
}
