import type { DocumentedOperation } from '../support/reference-page.ts'

/** An operation, and the format in which its body is sent; undefined if it has no body. */
export interface Call {
  operation: DocumentedOperation
  bodyType: string | undefined
}

/**
 * Chooses few calls, among which each kind appears: each method, each type of body, with credentials and without, each
 * kind of response. A page builds these parts of a call independently. A new kind in the document is included
 * automatically. How each credential is entered and sent is tested by reference-credentials.test.ts.
 */
export function chooseCalls(operations: readonly DocumentedOperation[]): Call[] {
  const candidates = operations.flatMap(callsOf)
  const missing = new Set(candidates.flatMap(kindsOf))
  const chosen: Call[] = []
  while (missing.size > 0) {
    const gain = (call: Call) => kindsOf(call).filter((kind) => missing.has(kind)).length
    const best = candidates.reduce((one, other) => (gain(other) > gain(one) ? other : one))
    for (const kind of kindsOf(best)) missing.delete(kind)
    chosen.push(best)
  }
  return chosen
}

function callsOf(operation: DocumentedOperation): Call[] {
  const { bodyTypes } = operation
  return bodyTypes.length === 0
    ? [{ operation, bodyType: undefined }]
    : bodyTypes.map((bodyType) => ({ operation, bodyType }))
}

/** The kinds of a call: what a page must be able to do for it. */
function kindsOf({ operation, bodyType }: Call): string[] {
  const { method, answerTypes, redirects } = operation
  return [
    `with the method ${method}`,
    `with ${bodyType ?? 'no body'}`,
    // Many tools leave out the body of DELETE.
    ...(method === 'delete' && bodyType ? ['DELETE with a body'] : []),
    credentialOf(operation) === undefined ? 'by anyone' : 'with a credential',
    `answers ${kindOfAnswer(answerTypes)}`,
    redirects ? 'may redirect' : 'does not redirect',
  ]
}

/** The credential with which an operation is called. */
export function credentialOf({ schemes }: DocumentedOperation): string | undefined {
  return schemes.includes('bearerAuth') ? 'bearerAuth' : schemes[0]
}

/** The kind of a response. A page shows all images alike, and all text alike. The first type is the default. */
function kindOfAnswer([first = 'nothing']: readonly string[]): string {
  if (first.startsWith('image/')) return 'a picture'
  return ['nothing', 'application/json', 'text/html'].includes(first) ? first : 'other text'
}
