import * as z from 'zod'
import { doc } from '#doc'
import { decodePublicKey, decodeSecret } from '../domain/webhook-keys.ts'
import { decodeBase64 } from '../lib/bytes.ts'
import { countBytes } from '../lib/text.ts'
import { checkAlways, Moment } from './fields.ts'
import { EXAMPLE_SECRET } from './signing-secret.ts'

// A message of Standard Webhooks that somebody wants to have verified.

const HEADERS_MAX_BYTES = 8 * 1024

/** The headers of Standard Webhooks. All others are ignored. */
export const MESSAGE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
export type MessageHeader = (typeof MESSAGE_HEADERS)[number]

const Headers = z
  .record(z.string(), z.string())
  .check(
    checkAlways<object>((sent, { addIssue }) => {
      const size = Object.entries(sent).reduce(
        (sum, [name, value]) => sum + countBytes(name) + countBytes(`${value}`),
        0,
      )
      if (size > HEADERS_MAX_BYTES)
        addIssue({ code: 'custom', message: `must have at most ${HEADERS_MAX_BYTES} bytes, names and values together` })
      const names = Object.keys(sent).map((name) => name.toLowerCase())
      for (const header of MESSAGE_HEADERS)
        if (names.filter((name) => name === header).length > 1)
          addIssue({ code: 'custom', message: `must have ${header} only once` })
    }),
  )
  .meta({
    id: 'MessageHeaders',
    description: doc(
      'The headers of the message, in any case: at most 8 KiB in all. Only those of Standard Webhooks count, so all headers of a log can be sent.',
    ),
    examples: [
      {
        'webhook-id': 'msg_planetCreated_5f1d7a3c9b0e4f628d1c7b5a3e9f0d24',
        'webhook-timestamp': '1768487400',
        'webhook-signature': 'v1,LNaLSTKpmuG4fnr5EOxg6Jb9FvC5eQip4ZomTRoQRNQ=',
      },
    ],
  })

const Encoding = z
  .enum(['text', 'base64'], 'must be text or base64')
  .meta({ id: 'MessageEncoding', description: doc('How `body` is written'), examples: ['text'] })

export const WebhookVerificationInput = z
  .strictObject({
    headers: Headers,
    body: z.string().meta({
      description: doc('The body of the message, as it came'),
      examples: ['{"id":5403,"name":"Arrakis"}'],
    }),
    encoding: Encoding.default('text'),
    secret: z
      .string()
      .refine((text) => decodeSecret(text) !== undefined, 'must be base64, with or without whsec_ before it')
      .meta({ description: doc('The secret, if the signatures are `v1`'), examples: [EXAMPLE_SECRET] })
      .optional(),
    publicKey: z
      .string()
      .refine((text) => decodePublicKey(text) !== undefined, 'must be whpk_ and the base64 of 32 bytes')
      .meta({
        description: doc('The public key, if the signatures are `v1a`'),
        examples: ['whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg='],
      })
      .optional(),
    at: Moment.meta({
      description: doc('The time of verification. By default, it is now.'),
      examples: ['2026-01-15T14:30:00Z'],
    }).optional(),
  })
  .check(
    checkAlways<{ body?: unknown; encoding?: unknown; secret?: unknown; publicKey?: unknown }>((sent, { addIssue }) => {
      const { body, encoding, secret, publicKey } = sent
      if (encoding === 'base64' && typeof body === 'string' && !decodeBase64(body))
        addIssue({ code: 'custom', path: ['body'], message: 'must be base64' })
      if (secret === undefined && publicKey === undefined)
        addIssue({ code: 'custom', path: ['secret'], message: 'must be there, or else publicKey' })
      if (secret !== undefined && publicKey !== undefined)
        addIssue({ code: 'custom', path: ['publicKey'], message: 'must not be there beside secret' })
    }),
  )
  .meta({
    id: 'WebhookVerificationInput',
    description: doc('A message of Standard Webhooks, and either a secret or a public key'),
    examples: [
      {
        headers: {
          'webhook-id': 'msg_planetCreated_5f1d7a3c9b0e4f628d1c7b5a3e9f0d24',
          'webhook-timestamp': '1768487400',
          'webhook-signature': 'v1,LNaLSTKpmuG4fnr5EOxg6Jb9FvC5eQip4ZomTRoQRNQ=',
        },
        body: '{"id":5403,"name":"Arrakis"}',
        secret: EXAMPLE_SECRET,
        at: '2026-01-15T14:35:01Z',
      },
    ],
  })

export type WebhookVerificationInput = z.infer<typeof WebhookVerificationInput>
