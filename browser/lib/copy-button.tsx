import { useState } from 'hono/jsx/dom'

/**
 * Copies a text.
 *
 * @param what Names the text for a screen reader, such as “the key”
 */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [result, setResult] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setResult('Copied.')
    } catch {
      // The browser forbids it, or the page came over http, where there is no clipboard.
      setResult('The browser does not allow it. Select the text and copy it.')
    }
  }
  return (
    <span class="copy">
      <button type="button" class="secondary small" onClick={copy}>
        Copy<span class="visually-hidden"> {what}</span>
      </button>
      <span role="status" class="hint">
        {result}
      </span>
    </span>
  )
}
