import type { ShownRequest } from './shown-request.ts'
import { toCurl } from './snippets/curl.ts'
import { toFetch } from './snippets/fetch.ts'
import { toGo } from './snippets/go.ts'
import { type PlainRequest, toPlainRequest } from './snippets/plain-request.ts'
import { toPython } from './snippets/python.ts'

/** A request as code that can be copied and run. */
export interface Snippet {
  language: 'curl' | 'fetch' | 'python' | 'go'
  label: string
  code: string
}

const WRITERS: readonly (Omit<Snippet, 'code'> & { write: (request: PlainRequest) => string })[] = [
  { language: 'curl', label: 'curl', write: toCurl },
  { language: 'fetch', label: 'fetch', write: toFetch },
  { language: 'python', label: 'Python', write: toPython },
  { language: 'go', label: 'Go', write: toGo },
]

/**
 * A request as code: curl for bash and zsh, fetch for Node (20 or later) and browsers, Python (3.8 or later) and Go
 * (1.16 or later) with their standard libraries. Each snippet sends the same request, and prints the status and the
 * body of the response. If the body is a form, the snippet reads the file of the form from the working directory.
 */
export function snippetsOf(request: ShownRequest): Snippet[] {
  const plain = toPlainRequest(request)
  return WRITERS.map(({ write, ...snippet }) => ({ ...snippet, code: write(plain) }))
}
