/** A sentence of the AsyncAPI document, with its names (between backticks) as code. */
export function Prose({ text }: { text: string }) {
  // The parts at odd positions are between backticks.
  return <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))}</>
}
