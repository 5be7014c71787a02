import { z } from 'zod'
import { EXAMPLE_ORIGIN } from '../lib/example-origin.ts'
import { DateTime, Id, text } from './fields.ts'
import { pageOf } from './page.ts'

/** Of examples. */
export const EXAMPLE_INBOX_ID = '4b1d7a3c-9b0e-4f62-8d1c-7b5a3e9f0d24'
const ANSWER_MAX = 4096

const answer = {
  status: z
    .int('must be a status from 200 to 599')
    .min(200, 'must be a status from 200 to 599')
    .max(599, 'must be a status from 200 to 599')
    .meta({ description: 'What it answers to whatever comes', examples: [503] }),
  body: text(0, ANSWER_MAX).meta({
    description: 'The body of that answer, as text/plain; 204 and 304 have none',
    examples: ['Not today'],
  }),
}

/** How an inbox is to answer. */
export const InboxInput = z.strictObject({ status: answer.status.default(200), body: answer.body.default('') }).meta({
  id: 'InboxInput',
  description: 'How an inbox is to answer: 200 and nothing, unless this says otherwise',
  xml: { name: 'inbox' },
  examples: [{ status: 503, body: 'Not today' }],
})

const EXAMPLE = {
  id: EXAMPLE_INBOX_ID,
  url: `${EXAMPLE_ORIGIN}/inboxes/${EXAMPLE_INBOX_ID}/callbacks`,
  status: 200,
  body: '',
  expiresAt: '2026-01-16T14:30:00.000Z',
}

export const Inbox = z
  .object({
    id: z.string().meta({ examples: [EXAMPLE_INBOX_ID] }),
    url: z.string().meta({
      description: 'Where to call; any path below the inbox will do',
      examples: [EXAMPLE.url],
      format: 'uri',
    }),
    ...answer,
    expiresAt: DateTime.meta({ description: 'When it and all that came are gone' }),
  })
  .meta({
    id: 'Inbox',
    description: 'A place to receive callbacks in',
    xml: { name: 'inbox' },
    examples: [EXAMPLE],
  })

/** Of a signature that came: whether it verifies, whether there was none, or that nothing here knows its secret. */
const VERDICTS = ['valid', 'invalid', 'absent', 'unknown'] as const
export type SignatureVerdict = (typeof VERDICTS)[number]

const verdict = (header: string) =>
  z.enum(VERDICTS).meta({
    description: `Whether \`${header}\` verifies; \`unknown\` where \`webhook-id\` is none of a delivery of this service`,
    examples: ['valid'],
  })

/** A request as an inbox keeps it. */
export const RecordedRequest = z.object({
  method: z.string().meta({ examples: ['POST'] }),
  path: z.string().meta({ description: 'As it was called, with its query', examples: ['/callbacks'] }),
  headers: z.array(z.object({ name: z.string(), value: z.string() })).meta({
    description:
      'The first 8 KiB of them, 100 at most, without those that only the platform has set, and without `Cookie` and `Authorization` if the call did not come from this service',
  }),
  body: z.string().meta({ description: 'The first 8 KiB of it', examples: ['{"id":5403,"name":"Arrakis"}'] }),
  encoding: z.enum(['text', 'base64']).meta({
    description: '`base64` where the body is no text in UTF-8, or has characters that not every format can carry',
    examples: ['text'],
  }),
  size: z.int().meta({ description: 'Bytes of the whole body', examples: [28] }),
  signatures: z.object({
    xSignature: verdict('x-signature'),
    webhookSignature: verdict('webhook-signature'),
  }),
})

const InboxRequest = z
  .object({
    id: Id,
    receivedAt: DateTime,
    ...RecordedRequest.shape,
    truncated: z
      .boolean()
      .meta({ description: 'Whether `body` is only the beginning of what came', examples: [false] }),
  })
  .meta({ id: 'InboxRequest', description: 'A request that came to an inbox' })

/** An inbox and a page of what came. */
export const InboxPage = pageOf(InboxRequest)
  .extend({ inbox: Inbox })
  .meta({
    id: 'InboxPage',
    description: 'An inbox, and a page of what came, in the order of arrival',
    xml: { name: 'inboxRequests' },
    examples: [
      {
        data: [
          {
            id: 1,
            receivedAt: '2026-01-15T14:30:00.000Z',
            method: 'POST',
            path: '/callbacks',
            headers: [{ name: 'content-type', value: 'application/json' }],
            body: '{"id":5403,"name":"Arrakis"}',
            encoding: 'text',
            size: 28,
            truncated: false,
            signatures: { xSignature: 'valid', webhookSignature: 'valid' },
          },
        ],
        meta: { limit: 10, offset: 0, total: 1, next: null },
        inbox: EXAMPLE,
      },
    ],
  })

/** The path parameter of an inbox. Who knows it may use it: it is a secret that nobody can guess. */
export const InboxPath = z.object({
  inboxId: z
    .string()
    .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    .meta({ description: 'The id of the inbox', examples: [EXAMPLE_INBOX_ID] }),
})

export type Inbox = z.infer<typeof Inbox>
export type InboxInput = z.infer<typeof InboxInput>
export type InboxPage = z.infer<typeof InboxPage>
export type RecordedRequest = z.infer<typeof RecordedRequest>
