import { useEffect, useState } from 'hono/jsx/dom'
import { signMessage } from '../../src/domain/webhook-signature.ts'
import type { ReceivedEvent } from './state.ts'

/** Computes the signature of a call, and compares it with the received one. */
export function Verification({ event, secret }: { event: ReceivedEvent; secret: string }) {
  const [isChanged, setChanged] = useState(false)
  const [computed, setComputed] = useState('')
  const body = isChanged ? changeOneCharacter(event.body) : { before: event.body, at: '', after: '' }
  const text = body.before + body.at + body.after
  useEffect(() => {
    sign(event, text, secret).then(setComputed, () => setComputed(''))
  }, [text, secret])
  const received = event.signature.split(' ')
  return (
    <div class="verification">
      <h3>The signature</h3>
      <p>
        The first three rows below are joined with dots and signed with the secret (HMAC with SHA-256). The bytes of the
        body matter, so it must not be parsed and written again.
      </p>
      <table class="members">
        <tbody>
          <Row name="webhook-id" value={event.id} />
          <Row name="webhook-timestamp" value={event.timestamp} />
          <tr key="body">
            <th scope="row">body</th>
            <td>
              {body.before}
              {body.at && <mark>{body.at}</mark>}
              {body.after}
            </td>
          </tr>
          <Row name="received" value={event.signature} />
          <Row name="computed" value={computed} />
        </tbody>
      </table>
      <Verdict computed={computed} isValid={received.includes(computed)} isTruncated={event.isTruncated} />
      <button type="button" class="secondary small" onClick={() => setChanged(!isChanged)}>
        {isChanged ? 'Put the character back' : 'Change one character of the body'}
      </button>
    </div>
  )
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{value}</td>
    </tr>
  )
}

interface VerdictProps {
  /** The computed signature; empty if there is none. */
  computed: string
  isValid: boolean
  isTruncated: boolean
}

function Verdict(props: VerdictProps) {
  return (
    <p class={`notice ${props.isValid ? 'good' : 'bad'}`} role="status">
      {describeVerdict(props)}
    </p>
  )
}

function describeVerdict({ computed, isValid, isTruncated }: VerdictProps): string {
  if (isTruncated) return 'The inbox keeps only the first 8 KiB of a body, so the signature cannot be computed from it.'
  if (computed === '') return explainNotComputed()
  if (isValid) return 'They are equal: the call comes from the service, and nobody has changed it.'
  return 'They differ: a receiver has to refuse this call.'
}

function explainNotComputed(): string {
  if (!Uint8Array.fromBase64) return 'This browser lacks Uint8Array.fromBase64. Newer ones can compute the signature.'
  return 'The signature is being computed.'
}

async function sign({ id, timestamp }: ReceivedEvent, text: string, secret: string): Promise<string> {
  const body = new TextEncoder().encode(text)
  return await signMessage([secret], { id, timestamp: Number(timestamp) }, body)
}

/** Replaces a letter in the middle of a text by the next letter of the alphabet. */
function changeOneCharacter(text: string): { before: string; at: string; after: string } {
  const middle = Math.floor(text.length / 2)
  // Not z, after which there is no letter.
  const index = text.slice(middle).search(/[a-y]/) + middle
  const at = String.fromCharCode(text.charCodeAt(index) + 1)
  return { before: text.slice(0, index), at, after: text.slice(index + 1) }
}
