import { splitCode } from '../lib/code-in-text.ts'

/** A text, in which code stands between backticks. */
export function WithCode({ text }: { text: string }) {
  return <>{splitCode(text).map(({ isCode, text }) => (isCode ? <code>{text}</code> : text))}</>
}
