import { newUuid } from '../lib/ids.ts'
import { membersOf } from '../lib/objects.ts'

// The frames of the subprotocol galaxy.envelope.v1: `{headers, payload}`.

/** The headers of an envelope: the identifiers that tie a frame to a request. */
export interface EnvelopeHeaders {
  correlationId: string
  requestId: string
}

/**
 * @param payload JSON text
 * @returns The envelope as JSON text
 */
export function wrap(payload: string, { correlationId, requestId }: EnvelopeHeaders): string {
  return `{"headers":${JSON.stringify({ correlationId, 'x-request-id': requestId })},"payload":${payload}}`
}

/**
 * Opens the envelope of a client. The reply must have both headers. So a `correlationId` that is not a text is replaced
 * by a new id, and an `x-request-id` that is not a text is replaced by the correlation id.
 */
export function unwrap(envelope: unknown): { headers: EnvelopeHeaders; payload: unknown } {
  const { headers, payload } = membersOf(envelope)
  const { correlationId, 'x-request-id': requestId } = membersOf(headers)
  const id = textOr(correlationId, newUuid('correlation'))
  return { headers: { correlationId: id, requestId: textOr(requestId, id) }, payload }
}

function textOr(value: unknown, substitute: string): string {
  return typeof value === 'string' ? value : substitute
}
