import { makeMessageId } from '../../changes/outbox.ts'
import { atOrigin } from '../../domain/example-origin.ts'
import type { Defect } from '../../domain/receiver-tests.ts'
import { examplesOf } from '../../http/examples.ts'
import { escapeNonAscii } from '../../lib/text.ts'
import { type EventName, payloadSchemaOf } from '../../schemas/events.ts'
import { insertTests, type PlannedTest } from '../../stores/callbacks/receiver-tests.ts'
import type { StoredWebhook } from '../../stores/webhooks.ts'

/** A test, with a new id of its message. */
export function planTest(event: EventName, defect: Defect, deliveryId: number): PlannedTest {
  return { deliveryId, messageId: makeMessageId(event), defect }
}

/** The JSON from which each test makes its body. @param baseUrl That of this world, for the URLs of the example */
export function writePayload(event: EventName, payload: object | undefined, baseUrl: string): string {
  if (payload) return JSON.stringify(payload)
  return escapeNonAscii(atOrigin(JSON.stringify(examplesOf(payloadSchemaOf(event))[0]), baseUrl))
}

/** What a change needs to store tests of a subscription: its statements, and the room for them. */
export function storeTests(
  webhook: StoredWebhook,
  { event, payload, checkId }: { event: EventName; payload: string; checkId: string | null },
  tests: readonly PlannedTest[],
  now: Date,
) {
  const { id: webhookId, userId, url, origin, host } = webhook
  return {
    statements: insertTests({ event, payload, checkId, userId, webhookId, url, origin, host }, tests, now),
    charge: { userId, deliveries: tests.length },
  }
}
