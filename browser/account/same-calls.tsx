import type { ShownRequest } from '../../src/design/shown-request.ts'

/** The calls of the API that do what a section does. The credential is a placeholder. */
export function SameCalls({ requests }: { requests: readonly ShownRequest[] }) {
  return (
    <details class="same-calls">
      <summary>The same with the API</summary>
      <p class="hint">Send a token of POST /auth/token, or an API key, with each call.</p>
      {requests.map((request) => (
        <pre key={`${request.method} ${request.url}`}>
          <code>{write(request)}</code>
        </pre>
      ))}
    </details>
  )
}

function write({ method, url, body }: ShownRequest): string {
  const line = `${method} ${url}`
  return body && 'text' in body ? `${line}\n\n${body.text}` : line
}
