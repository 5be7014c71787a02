import type { CaseAnswer } from '../../../laboratory/case.ts'
import { mayHaveBody } from '../../lib/http.ts'
import type { LabResult } from '../../schemas/lab-run.ts'

/** The answer of a case: whatever the verdict, so that no client throws. */
export function verdictResponse(
  result: LabResult,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  // `requests` and `requestId` are only in the run.
  const { requests: _, requestId: __, ...answer } = result
  return Response.json(answer, { status, headers })
}

/**
 * The response of a case to a client that decodes it or follows it.
 *
 * @param benchPath The path of the bench. A `Location` that begins with a slash is below it
 */
export function caseResponse({ status, headers = {}, body, isBase64 }: CaseAnswer, benchPath: string): Response {
  const { Location: location } = headers
  // Bytes, because the runtime adds a Content-Type to a text.
  const bytes = isBase64 ? Uint8Array.fromBase64(body ?? '') : new TextEncoder().encode(body)
  return new Response(mayHaveBody(status) && body !== undefined ? bytes : null, {
    status,
    headers: {
      ...headers,
      ...(location?.startsWith('/') && { Location: benchPath + location }),
      // For clients in browsers.
      'Access-Control-Expose-Headers': Object.keys(headers).join(','),
    },
  })
}
