import { useRef } from 'hono/jsx/dom'
import { CopyButton } from './copy-button.tsx'

/** An address or a key in a line of its own, with a button that copies it. @param what Its name, for the button */
export function Copyable({ text, what }: { text: string; what: string }) {
  const code = useRef<HTMLElement>(null)
  return (
    <p class="address">
      <code ref={code}>{text}</code> <CopyButton source={code} what={what} />
    </p>
  )
}
