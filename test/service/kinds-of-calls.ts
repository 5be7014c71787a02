import type { DocumentedOperation } from '../support/reference-page.ts'

/** An operation, and the format in which its body is sent; none where it has no body. */
export interface Call {
  operation: DocumentedOperation
  bodyType: string | undefined
}

/**
 * So few calls that each kind is among them: each method with each type of body, each way to say who calls, each kind of
 * answer. A kind that comes into the document is among them from then on.
 */
export function chooseCalls(operations: readonly DocumentedOperation[]): Call[] {
  const left = operations.flatMap(callsOf)
  const missing = new Set(left.flatMap(kindsOf))
  const chosen: Call[] = []
  while (missing.size > 0) {
    const gain = (call: Call) => kindsOf(call).filter((kind) => missing.has(kind)).length
    const best = left.reduce((one, other) => (gain(other) > gain(one) ? other : one))
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

/** What a page has to be able to do for a call. */
function kindsOf({ operation, bodyType }: Call): string[] {
  const { method, schemes, answerTypes, redirects } = operation
  return [
    `${method} with ${bodyType ?? 'no body'}`,
    `${method} ${schemes.length > 0 ? 'with a credential' : 'without credentials'}`,
    `by ${credentialOf(operation) ?? 'anyone'}`,
    `answers ${kindOfAnswer(answerTypes)}`,
    redirects ? 'may redirect' : 'does not redirect',
  ]
}

/** The credential with which an operation is called. */
export function credentialOf({ schemes }: DocumentedOperation): string | undefined {
  return schemes.includes('bearerAuth') ? 'bearerAuth' : schemes[0]
}

/** A page shows all pictures alike, all text alike. The first type is the one that is answered unless another is asked for. */
function kindOfAnswer([first = 'nothing']: readonly string[]): string {
  if (first.startsWith('image/')) return 'a picture'
  return ['nothing', 'application/json', 'text/html'].includes(first) ? first : 'other text'
}
