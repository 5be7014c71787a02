import * as z from 'zod'
import { doc } from '#doc'
import { CHECK_VERDICTS, DEFECTS, TEST_EXPECTATIONS, TEST_VERDICTS } from '../domain/receiver-tests.ts'
import { writePretty } from '../domain/test-body.ts'
import { countBytes } from '../lib/text.ts'
import { CallbackEvent } from './events.ts'
import { DateTime, freeKeys, Id, text } from './fields.ts'
import { WebhookSigning } from './webhook.ts'

// Tests of receivers: calls that are wrong, or unusual, on purpose.

const PAYLOAD_MAX_BYTES = 64 * 1024
/** A payload of deep lists is many times longer with indentation. */
const PRETTY_MAX_BYTES = 1024 * 1024
const REASON_MAX = 200
export const EXAMPLE_CHECK_ID = '8f47c132-9d1f-4f83-b5a4-91db5ee757ab'

export const DefectName = z.enum(DEFECTS).meta({
  id: 'ReceiverDefect',
  description: doc('What is wrong with a call, or unusual about it. `none`: the call is right.'),
  examples: ['body-changed'],
})

export const Expected = z.enum(TEST_EXPECTATIONS).meta({
  id: 'ReceiverExpectation',
  description: doc('What the receiver should answer: `accept` is 2xx, `refuse` is 4xx, but not 408 or 429'),
  examples: ['refuse'],
})

export const ReceiverVerdict = z.enum(TEST_VERDICTS).meta({
  id: 'ReceiverVerdict',
  description: doc('Whether the receiver answered as it should'),
  examples: ['wrong'],
})

export const TestReason = z
  .string()
  .nullable()
  .meta({
    description: doc('What came, and what was due. Null if the verdict is `right`, or if there is none yet.'),
    examples: ['The receiver returned 200. A 4xx other than 408 and 429 was due.'],
  })

/** Any object that JSON can write. The parser makes infinity of a number that is too large or too small. */
const Payload = z
  .record(z.string(), z.unknown())
  .check(freeKeys)
  .refine(hasFiniteNumbers, { message: 'must have only numbers that a double can represent', abort: true })
  .refine((value) => countBytes(JSON.stringify(value)) <= PAYLOAD_MAX_BYTES, {
    message: `must have at most ${PAYLOAD_MAX_BYTES} bytes`,
    abort: true,
  })
  .refine(
    (value) => countBytes(writePretty(JSON.stringify(value))) <= PRETTY_MAX_BYTES,
    `must have at most ${PRETTY_MAX_BYTES} bytes when it is written with indentation`,
  )
  .meta({
    id: 'ReceiverTestPayload',
    description: doc(
      'The body of the call: an object of at most 65,536 bytes as JSON. Without it, the body is the documented example of the event.',
    ),
    examples: [{ id: 5403, name: 'Arrakis' }],
  })

function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(hasFiniteNumbers)
}

const event = CallbackEvent.default('newPlanet').meta({
  description: doc('The event that the call reports, whatever the subscription listens to'),
  examples: ['newPlanet'],
})

export const ReceiverTestInput = z
  .strictObject({ event, payload: Payload.optional(), defect: DefectName.default('none') })
  .meta({
    id: 'ReceiverTestInput',
    description: doc('A test of a receiver'),
    examples: [{ defect: 'body-changed' }],
  })

const Skip = z.partialRecord(DefectName, text(1, REASON_MAX)).meta({
  id: 'ReceiverCheckSkips',
  description: doc('Defects that are not sent: from each to the reason'),
  examples: [{ 'id-changed': 'verifies x-signature alone' }],
})

export const ReceiverCheckInput = z.strictObject({ event, payload: Payload.optional(), skip: Skip.default({}) }).meta({
  id: 'ReceiverCheckInput',
  description: doc('A check of a receiver with all tests'),
  examples: [{ skip: { 'id-changed': 'verifies x-signature alone' } }],
})

const CheckVerdict = z.enum(CHECK_VERDICTS).meta({
  id: 'ReceiverCheckVerdict',
  description: doc('`not-sent`: the check ended before it came to this defect'),
  examples: ['right'],
})

const count = (description: string) => z.int().meta({ description, examples: [1] })

const Result = z
  .object({
    defect: DefectName,
    expected: Expected,
    verdict: CheckVerdict.nullable().meta({
      description: doc('Null as long as the check may still come to it'),
      examples: ['right'],
    }),
    reason: z
      .string()
      .nullable()
      .meta({
        description: doc('What came and what was due, or why it was skipped or not sent'),
        examples: [null],
      }),
    statuses: z
      .array(z.int().nullable())
      .meta({ description: doc('The status of each call. Null where no answer came.'), examples: [[401]] }),
    deliveryId: Id.nullable().meta({
      description: doc('The delivery in the log. Null if nothing was sent.'),
      examples: [12],
    }),
  })
  .meta({ id: 'ReceiverCheckResult', description: doc('What a check knows of one defect') })

export const ReceiverCheck = z
  .object({
    id: z.uuid().meta({ examples: [EXAMPLE_CHECK_ID] }),
    webhookId: Id,
    signing: WebhookSigning,
    event: CallbackEvent,
    state: z
      .enum(['running', 'done'])
      .meta({ id: 'ReceiverCheckState', description: doc('Whether calls are still to come'), examples: ['done'] }),
    passed: z
      .boolean()
      .nullable()
      .meta({
        description: doc(
          'Whether nothing is `wrong` or `not-sent` and something was `right`. Null as long as the check runs.',
        ),
        examples: [true],
      }),
    createdAt: DateTime,
    endedAt: DateTime.nullable().meta({ description: doc('Null as long as the check runs') }),
    summary: z
      .object({
        right: count(doc('Answered as they should be')),
        wrong: count(doc('Not answered as they should be')),
        skipped: count(doc('Skipped')),
        notSent: count(doc('Not sent')),
      })
      .meta({ id: 'ReceiverCheckSummary', description: doc('How many defects have each verdict') }),
    results: z.array(Result).meta({ description: doc('One for each defect, in the order in which they are sent') }),
  })
  .meta({
    id: 'ReceiverCheck',
    description: doc('A check of a receiver: right and wrong calls, one after another, and how it answered'),
    examples: [
      {
        id: EXAMPLE_CHECK_ID,
        webhookId: 1,
        signing: 'v1',
        event: 'newPlanet',
        state: 'running',
        passed: null,
        createdAt: '2026-01-15T14:30:00.000Z',
        endedAt: null,
        summary: { right: 1, wrong: 0, skipped: 0, notSent: 0 },
        results: [
          { defect: 'none', expected: 'accept', verdict: 'right', reason: null, statuses: [200], deliveryId: 12 },
        ],
      },
    ],
  })

export const CheckPath = z.object({
  checkId: z
    .string()
    .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    .meta({ description: doc('The id of the check'), examples: [EXAMPLE_CHECK_ID] }),
})

export type ReceiverTestInput = z.infer<typeof ReceiverTestInput>
export type ReceiverCheckInput = z.infer<typeof ReceiverCheckInput>
export type ReceiverCheck = z.infer<typeof ReceiverCheck>
