import * as z from 'zod'
import { doc } from '#doc'
import { EXAMPLE_ORIGIN } from '../domain/example-origin.ts'
import { DateTime, Id, text, Uri } from './fields.ts'
import { pageOf } from './page.ts'

export const EXAMPLE_INBOX_ID = '4b1d7a3c-9b0e-4f62-8d1c-7b5a3e9f0d24'
const RESPONSE_BODY_MAX = 4096
const STATUS_FAULT = 'must be a status from 200 to 599'

const response = {
  status: z
    .int(STATUS_FAULT)
    .min(200, STATUS_FAULT)
    .max(599, STATUS_FAULT)
    .meta({ description: doc('The status of the response to every request'), examples: [503] }),
  body: text(0, RESPONSE_BODY_MAX).meta({
    description: doc('The body of the response to every request, as text/plain. Not sent if `status` is 204 or 304.'),
    examples: ['Not today'],
  }),
}

/** A request that creates or changes an inbox: how the inbox will respond. */
export const InboxInput = z
  .strictObject({ status: response.status.default(200), body: response.body.default('') })
  .meta({
    id: 'InboxInput',
    description: doc('How an inbox responds. The defaults are status 200 and an empty body.'),
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
    url: Uri.meta({
      description: doc('The URL to call. You can use any path below the inbox.'),
      examples: [EXAMPLE.url],
    }),
    ...response,
    expiresAt: DateTime.meta({ description: doc('When the inbox and its requests are deleted') }),
  })
  .meta({
    id: 'Inbox',
    description: doc('An inbox that receives callbacks'),
    xml: { name: 'inbox' },
    examples: [EXAMPLE],
  })

/**
 * The result of checking a signature. `absent`: the request had no signature. `unknown`: the service does not know the
 * secret of the signature.
 */
const VERDICTS = ['valid', 'invalid', 'absent', 'unknown'] as const
export type SignatureVerdict = (typeof VERDICTS)[number]

const Verdict = z
  .enum(VERDICTS)
  .meta({ id: 'SignatureVerdict', description: doc('The result of checking a signature'), examples: ['valid'] })

const verdict = (header: string) =>
  Verdict.meta({
    description: doc(
      `Whether the signature in \`${header}\` is valid. \`unknown\` if \`webhook-id\` does not belong to a delivery of this service.`,
    ),
    examples: ['valid'],
  })

export const RecordedRequest = z.object({
  method: z.string().meta({ examples: ['POST'] }),
  path: z.string().meta({ description: doc('The requested path, with its query'), examples: ['/callbacks'] }),
  headers: z
    .array(
      z.object({ name: z.string(), value: z.string() }).meta({ id: 'ReceivedHeader', description: doc('A header') }),
    )
    .meta({
      description: doc(
        'The first headers of the request: at most 100, and at most 8 KiB. Headers that only the platform sets are left out. If the call did not come from this service, `Cookie` and `Authorization` are left out, too.',
      ),
    }),
  body: z
    .string()
    .meta({ description: doc('The first 8 KiB of the body'), examples: ['{"id":5403,"name":"Arrakis"}'] }),
  encoding: z.enum(['text', 'base64']).meta({
    id: 'BodyEncoding',
    description: doc('`base64` if the body is not UTF-8 text, or has characters that not every format can represent'),
    examples: ['text'],
  }),
  size: z.int().meta({ description: doc('The size of the whole body in bytes'), examples: [28] }),
  signatures: z
    .object({ xSignature: verdict('x-signature'), webhookSignature: verdict('webhook-signature') })
    .meta({ id: 'SignatureVerdicts', description: doc('Whether the signatures of the request are valid') }),
})

const ReceivedCall = z
  .object({
    id: Id,
    receivedAt: DateTime,
    ...RecordedRequest.shape,
    truncated: z
      .boolean()
      .meta({ description: doc('Whether `body` is only the beginning of the received body'), examples: [false] }),
  })
  .meta({ id: 'ReceivedCall', description: doc('A request that an inbox received') })

/** An inbox and a page of its received requests. */
export const InboxPage = pageOf(ReceivedCall)
  .extend({ inbox: Inbox })
  .meta({
    id: 'InboxPage',
    description: doc('An inbox and a page of the requests that it received, in order of arrival'),
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

/** The path parameter of an inbox. It is a secret that cannot be guessed. Everybody who knows it may use the inbox. */
export const InboxPath = z.object({
  inboxId: z
    .string()
    // A random UUID (version 4) in lower case.
    .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    .meta({ description: doc('The id of the inbox'), examples: [EXAMPLE_INBOX_ID] }),
})

export type Inbox = z.infer<typeof Inbox>
export type InboxInput = z.infer<typeof InboxInput>
export type InboxPage = z.infer<typeof InboxPage>
export type RecordedRequest = z.infer<typeof RecordedRequest>
