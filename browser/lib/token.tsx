import { useRef } from 'hono/jsx/dom'
import { CopyButton } from './copy-button.tsx'

/** A signed token (RFC 7515, section 7.1): three parts in base64url. */
const TOKEN = /([\w-]{16,}\.[\w-]{16,}\.[\w-]{16,})/

/** How many of the last characters are shown. The style decides how many of the first ones. */
const END_LENGTH = 8

/** A text in which only the ends of tokens are shown. What is selected or copied is the whole text. */
export function WithTokens({ text, hasButtons = false }: { text: string; hasButtons?: boolean }) {
  // The parts at odd positions are tokens.
  return (
    <>
      {text
        .split(TOKEN)
        .map((part, index) => (index % 2 === 0 ? part : <Token key={index} text={part} hasButton={hasButtons} />))}
    </>
  )
}

function Token({ text, hasButton }: { text: string; hasButton: boolean }) {
  const whole = useRef<HTMLElement>(null)
  return (
    <>
      <span ref={whole} class="token">
        <span>{text.slice(0, -END_LENGTH)}</span>
        {text.slice(-END_LENGTH)}
      </span>
      {hasButton && <CopyButton source={whole} what="the whole token" />}
    </>
  )
}
