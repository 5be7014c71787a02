import type { ShownRequest } from '../../src/design/shown-request.ts'
import { snippetsOf } from '../../src/design/snippets.ts'

interface SameCallsProps {
  requests: readonly ShownRequest[]
  /** Whether the calls need no credential. */
  isPublic?: boolean
}

/** The API calls behind a section of the page, as curl commands with a placeholder for the credential. */
export function SameCalls({ requests, isPublic = false }: SameCallsProps) {
  return (
    <details class="same-calls">
      <summary>The same with curl</summary>
      <p class="hint">
        {isPublic ? 'These calls need no credentials.' : 'Replace TOKEN with a token from POST /auth/token.'}
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
