import { useRef } from 'hono/jsx/dom'
import { CopyButton } from '../lib/copy-button.tsx'
import type { Obstacle } from './obstacle.ts'

// What stands above the button "Send": what keeps the page from sending, and what it will send.

interface NoticesProps {
  obstacle: Obstacle | undefined
  /** Sentences about what will be sent, or about the address. */
  notes: readonly string[]
  /** The request line, if it is not what stands in the field. */
  line: string | undefined
  /** Puts a request line into the field. */
  choose: (line: string) => void
}

export function Notices({ obstacle, notes, line, choose }: NoticesProps) {
  return (
    <>
      {notes.map((note) => (
        <p class="hint" key={note}>
          {note}
        </p>
      ))}
      {obstacle && <ObstacleNotice obstacle={obstacle} choose={choose} />}
      {line !== undefined && (
        <p class="hint">
          Sends <code>{line}</code>
        </p>
      )}
    </>
  )
}

function ObstacleNotice({ obstacle, choose }: { obstacle: Obstacle; choose: NoticesProps['choose'] }) {
  const { reason, command, instead } = obstacle
  return (
    <div class="notice">
      <p>
        {reason}
        {command !== undefined && ' This command sends the request as it stands:'}
      </p>
      {instead && (
        <button type="button" class="secondary small" onClick={() => choose(instead.line)}>
          Use {instead.name}
        </button>
      )}
      {command !== undefined && <Command key={command} command={command} />}
    </div>
  )
}

function Command({ command }: { command: string }) {
  const code = useRef<HTMLElement>(null)
  return (
    <>
      <pre>
        <code ref={code}>{command}</code>
      </pre>
      <CopyButton source={code} what="the command" />
    </>
  )
}
