import * as z from 'zod'
import { doc } from '#doc'
import { type Fault, RefusedBody } from '../../../domain/problems.ts'
import { decodePublicKey } from '../../../domain/webhook-keys.ts'
import { entity } from '../../../http/body/entity.ts'
import type { BodyReader } from '../../../http/body/reader.ts'
import { reply } from '../../../http/pipeline/reply.ts'
import { defineRoute } from '../../../http/pipeline/route.ts'
import { requireRecordsLeft } from '../../../http/pipeline/write-limit.ts'
import { decodeBase64, encodeText } from '../../../lib/bytes.ts'
import { toDate } from '../../../schemas/fields.ts'
import { type MessageHeader, WebhookVerificationInput } from '../../../schemas/webhook-verification.ts'
import { explainMessage, type Message } from './explain-message.ts'
import { FINDING_CODES, FINDINGS } from './findings.ts'

const FindingSchema = z
  .object({
    code: z.enum(FINDING_CODES).meta({ id: 'WebhookFindingCode', examples: ['stale'] }),
    detail: z.string().meta({ examples: [FINDINGS.stale] }),
  })
  .meta({ id: 'WebhookFinding', description: doc('What is wrong with the message') })

const WebhookVerification = z
  .object({
    valid: z.boolean().meta({
      description: doc(
        'Whether the three headers are there, one of the first ten signatures is right, and the time is within 300 seconds of the time of verification',
      ),
      examples: [false],
    }),
    findings: z.array(FindingSchema).meta({ description: doc('Empty if the message is valid, and only then') }),
  })
  .meta({
    id: 'WebhookVerification',
    description: doc('Whether a message of Standard Webhooks is valid, and what is wrong with it'),
    examples: [{ valid: false, findings: [{ code: 'stale', detail: FINDINGS.stale }] }],
  })

export const verifyWebhookRoute = defineRoute({
  method: 'post',
  path: '/lab/webhooks/verify',
  operationId: 'verifyWebhook',
  tag: 'Laboratory',
  summary: 'Verify a message of Standard Webhooks',
  description: doc(
    'Verifies the signatures of a message, and says why none is right: the smallest set of usual mistakes that explains one. For senders, and for receivers that compute another signature. Nothing of the message is kept, and no answer repeats any of it.',
  ),
  since: '2.0.0',
  security: [],
  formats: ['json'],
  // No response contains the document, so it need not fit in one.
  body: withoutQuotations(entity(WebhookVerificationInput, ['json'], { responseFormats: [] })),
  responses: { 200: { description: doc('What is wrong with the message'), schema: WebhookVerification } },
  problems: ['too-many-requests'],
  async handle({ body }, { services, clientAddress, now }) {
    // A body that nearly fills the request takes as long as hundreds of small ones.
    await requireRecordsLeft(services, { clientAddress })
    const findings = await explainMessage(readMessage(body, now))
    return reply(200, { valid: findings.length === 0, findings })
  },
})

function readMessage(input: WebhookVerificationInput, now: Date): Message {
  const { body, encoding, secret = '', publicKey, at } = input
  const headers = new Map(Object.entries(input.headers).map(([name, value]) => [name.toLowerCase(), value.trim()]))
  const header = (name: MessageHeader) => headers.get(name) ?? ''
  const keyBytes = publicKey === undefined ? undefined : decodePublicKey(publicKey)
  return {
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signatures: header('webhook-signature'),
    // The schema has checked that it is base64.
    body: (encoding === 'base64' ? decodeBase64(body) : undefined) ?? encodeText(body),
    key: keyBytes ? { publicKey: keyBytes } : { secret },
    at: at ? toDate(at) : now,
  }
}

const MEMBERS = Object.keys(WebhookVerificationInput.shape)
/** No secret and no signature looks like this. */
const PLAIN_NAME = /^[A-Za-z_]{1,20}$/

/**
 * A body of which errors repeat nothing: no name of a header, and no name of an unknown member that could be anything
 * else. So a secret that stands in the wrong place is not in an answer.
 */
function withoutQuotations<Body>(reader: BodyReader<Body>): BodyReader<Body> {
  if (reader.kind === 'mixed') return reader
  return {
    ...reader,
    async read(bytes, context) {
      try {
        return await reader.read(bytes, context)
      } catch (error) {
        if (!(error instanceof RefusedBody)) throw error
        throw new RefusedBody(error.code, error.message, (error.faults ?? []).map(shortenPointer), undefined)
      }
    },
  }
}

function shortenPointer({ pointer, detail }: Fault): Fault {
  const [, member = ''] = pointer.split('/')
  return { pointer: MEMBERS.includes(member) || PLAIN_NAME.test(member) ? `/${member}` : '', detail }
}
