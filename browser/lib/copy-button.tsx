import { useState } from 'hono/jsx/dom'

/** Copies a text to the clipboard, and says whether it did. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState('')
  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setOutcome('Copied')
    } catch {
      // Browsers have a clipboard for pages only in secure contexts, and people can refuse it.
      setOutcome('Your browser does not allow copying. Select the text.')
    }
  }
  return (
    <span class="copy">
      <button type="button" class="secondary small" aria-label={`Copy ${what}`} onClick={copy}>
        Copy
      </button>
      <span role="status">{outcome}</span>
    </span>
  )
}
