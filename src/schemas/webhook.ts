import * as z from 'zod'
import { doc } from '#doc'
import { SIGNINGS } from '../domain/webhook-keys.ts'
import { SUBSCRIBABLE_NAMES } from './events.ts'
import { checkAlways, DateTime, HttpUrl, Id, idParameter, list } from './fields.ts'
import { pageOf } from './page.ts'
import { ReceiverAuth, ReceiverScheme } from './receiver-auth.ts'
import { EXAMPLE_SECRET } from './signing-secret.ts'

const EXAMPLE = {
  id: 1,
  url: 'https://receiver.example/webhook',
  events: ['newPlanet'],
  status: 'active',
  signing: 'v1',
  auth: { scheme: 'bearerAuth' },
  createdAt: '2026-01-15T14:30:00.000Z',
}

const url = HttpUrl.meta({
  description: doc('The URL that the service calls. Within this service, it can only be below /echo or an inbox.'),
  examples: [EXAMPLE.url],
})
const SubscribableEvent = z
  .enum(SUBSCRIBABLE_NAMES)
  .meta({ id: 'SubscribableEvent', description: doc('An event that users can subscribe to') })
const events = list(SubscribableEvent, SUBSCRIBABLE_NAMES.length).meta({
  description: doc('The events that the service sends to the URL'),
  examples: [EXAMPLE.events],
})
/** At least one event. */
const someEvents = events
  .check(
    checkAlways<unknown[]>((value, { addIssue }) => {
      if (value.length === 0) addIssue({ code: 'custom', message: 'must have at least one item' })
    }),
  )
  .meta({ minItems: 1 })

export const WebhookSigning = z.enum(SIGNINGS, `must be one of ${SIGNINGS.join(', ')}`).meta({
  id: 'WebhookSigning',
  description: doc(
    'How its calls are signed, by the version in `webhook-signature`. `v1`: with a secret that you share (HMAC with SHA-256). `v1a`: with a private key that only the service has (Ed25519), so that your receiver holds no secret.',
  ),
  examples: ['v1'],
})

/** An unknown member is rejected, because it may be misspelt. */
export const WebhookInput = z
  .strictObject({ url, events: someEvents, signing: WebhookSigning.default('v1'), auth: ReceiverAuth.optional() })
  .meta({
    id: 'WebhookInput',
    description: doc('A subscription to create'),
    xml: { name: 'webhook' },
    examples: [{ url: EXAMPLE.url, events: EXAMPLE.events, auth: { scheme: 'bearerAuth', token: 's3cr3t' } }],
  })

/**
 * `active`: the service calls the URL. `paused`: the service does not call it, because the owner paused the
 * subscription or because attempts kept failing. `disabled`: the receiver returned 410 (Gone).
 */
const WEBHOOK_STATUSES = ['active', 'paused', 'disabled'] as const

const status = z.enum(WEBHOOK_STATUSES).meta({
  id: 'SubscriptionStatus',
  description: doc(
    '`active`: the service calls the URL. `paused`: the service does not call it, because you paused the subscription, or because 20 attempts in a row failed over a period of at least an hour. `disabled`: the receiver returned 410 (Gone).',
  ),
  examples: ['active'],
})

/** Absent members stay unchanged. */
export const WebhookPatch = z
  .strictObject({
    url: url.optional(),
    events: someEvents.optional(),
    auth: ReceiverAuth.nullable()
      .optional()
      .meta({ description: doc('Null removes the credentials') }),
    status: z
      .enum(['active', 'paused'])
      .meta({
        id: 'SubscriptionStatusChange',
        description: doc('`active` resumes a subscription that is paused or disabled'),
        examples: ['active'],
      })
      .optional(),
  })
  .meta({
    id: 'WebhookPatch',
    description: doc('Changes to a subscription. Absent members stay unchanged.'),
    xml: { name: 'webhook' },
    examples: [{ status: 'active' }],
  })

export const Webhook = z
  .object({
    id: Id,
    url,
    events,
    status,
    signing: WebhookSigning,
    publicKey: z
      .string()
      .meta({
        description: doc(
          'Verifies its calls, if `signing` is `v1a`: `whpk_` and the base64 of the 32 bytes of an Ed25519 key (RFC 8032). Otherwise absent.',
        ),
        examples: ['whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg='],
      })
      .optional(),
    auth: z
      .object({ scheme: ReceiverScheme })
      .meta({
        id: 'ReceiverAuthSummary',
        description: doc('How each call authenticates itself. The credentials are not shown.'),
      })
      .optional(),
    createdAt: DateTime,
  })
  .meta({ id: 'Webhook', description: doc('A subscription'), xml: { name: 'webhook' }, examples: [EXAMPLE] })

/** The response to the creation of a subscription. No other response contains its secret. */
export const CreatedWebhook = Webhook.extend({
  secret: z
    .string()
    .meta({
      description: doc('The secret that signs the calls. It is not shown again. Absent if `signing` is `v1a`.'),
      examples: [EXAMPLE_SECRET],
    })
    .optional(),
}).meta({
  id: 'CreatedWebhook',
  description: doc('A new subscription, with its secret if it has one'),
  xml: { name: 'webhook' },
  examples: [{ ...EXAMPLE, secret: EXAMPLE_SECRET }],
})

export const WebhookPage = pageOf(Webhook).meta({
  id: 'WebhookPage',
  description: doc('A page of subscriptions in order of id'),
  xml: { name: 'webhooks' },
  examples: [{ data: [EXAMPLE], meta: { limit: 10, offset: 0, total: 1, next: null } }],
})

export const WebhookPath = z.object({ webhookId: idParameter(doc('The id of the subscription')) })

export type Webhook = z.infer<typeof Webhook>
export type WebhookInput = z.infer<typeof WebhookInput>
export type WebhookPatch = z.infer<typeof WebhookPatch>
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number]
