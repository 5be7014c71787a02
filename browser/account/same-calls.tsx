import type { ShownRequest } from '../../src/design/shown-request.ts'
import { snippetsOf } from '../../src/design/snippets.ts'

interface SameCallsProps {
  requests: readonly ShownRequest[]
  /** Whether anybody may make the calls. */
  isPublic?: boolean
}

/** The calls of the API that do what a section does, with curl. The credential is a placeholder. */
export function SameCalls({ requests, isPublic = false }: SameCallsProps) {
  return (
    <details class="same-calls">
      <summary>The same with curl</summary>
      <p class="hint">
        {isPublic ? 'These calls need no credentials.' : 'Put a token of POST /auth/token in the place of TOKEN.'}
      </p>
      {requests.map((request) => (
        <pre key={`${request.method} ${request.url}`}>
          <code>{writeCurl(isPublic ? request : withPlaceholder(request))}</code>
        </pre>
      ))}
    </details>
  )
}

function writeCurl(request: ShownRequest): string {
  return snippetsOf(request).find(({ language }) => language === 'curl')?.code ?? ''
}

function withPlaceholder(request: ShownRequest): ShownRequest {
  return { ...request, headers: [...request.headers, ['Authorization', 'Bearer TOKEN']] }
}
