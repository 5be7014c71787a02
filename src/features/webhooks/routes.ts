import { doc } from '#doc'
import { PURPOSES } from '../../auth/purposes.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { commit } from '../../changes/commit.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { ProblemError } from '../../domain/problems.ts'
import { callTargetOf } from '../../domain/target-host.ts'
import { makeSigningPair, makeSigningSecret, type Signing } from '../../domain/webhook-keys.ts'
import { entity } from '../../http/body/entity.ts'
import { deleteOwn, listOwn, readOwn } from '../../http/own-routes.ts'
import { ALL_FORMATS } from '../../http/pipeline/formats.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { PageQuery } from '../../schemas/page.ts'
import { ReceiverScheme } from '../../schemas/receiver-auth.ts'
import { CreatedWebhook, Webhook, WebhookInput, WebhookPage, WebhookPatch, WebhookPath } from '../../schemas/webhook.ts'
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  type StoredWebhook,
  type WebhookRefusal,
} from '../../stores/webhooks.ts'
import { NO_WEBHOOK, requireWebhook } from './access.ts'
import { changeWebhook, findWebhookFaults, sealAuth } from './change.ts'
import { checkRoutes } from './check-routes.ts'
import { pingWebhook } from './ping.ts'
import { REFUSALS, WEBHOOKS_MAX } from './refusals.ts'
import { sendTest } from './send-test.ts'

const PATH = '/webhooks'

const create = defineRoute({
  method: 'post',
  path: PATH,
  operationId: 'createWebhook',
  tag: 'Callbacks',
  summary: 'Subscribe to events',
  description: doc(
    'Creates a subscription: the service calls your URL for every planet that anyone creates. No later response contains the secret that signs the calls, so keep it. `signing` is `v1a` if your receiver verifies with a public key, which every response contains, so that there is no secret. `auth` sets how each call authenticates itself to your receiver, with any of the seven schemes that OpenAPI supports. The response is 409 if you already have a subscription to this URL, or if your account has the maximum number of subscriptions.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  body: entity(WebhookInput, ALL_FORMATS, { inspect: findWebhookFaults }),
  responses: {
    201: {
      description: doc('The subscription'),
      schema: CreatedWebhook,
      headers: ['Location'],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}${PATH}/1` },
      links: {
        GetWebhook: {
          operationId: 'getWebhook',
          description: doc('The subscription, without its secret'),
          parameters: { webhookId: '$response.body#/id' },
        },
      },
    },
  },
  problems: ['conflict'],
  async handle({ body: { url, events, signing, auth }, caller }, context) {
    const { services, baseUrl } = context
    const { key, publicKey } = await makeKey(signing)
    const draft = {
      userId: caller.id,
      ...(await callTargetOf(url, baseUrl, services)),
      events,
      status: 'active' as const,
      secret: await services.vault.seal(key, PURPOSES.webhook(caller.id)),
      publicKey,
      ...(await sealAuth(auth ?? null, caller.id, context)),
      createdAt: context.now,
    }
    const ids = await context.takeIds({ webhooks: 1 })
    const webhook = { id: ids.next('webhooks'), ...draft }
    const shown = { ...presentWebhook(webhook), ...(publicKey === null && { secret: key }) }
    const answer = reply(201, shown, { Location: `${baseUrl}${PATH}/${webhook.id}` })
    const refuse = (refusal: WebhookRefusal) => new ProblemError('conflict', REFUSALS[refusal])
    await commit(context, { ids, ...insertWebhook(webhook, WEBHOOKS_MAX, refuse), reply: answer })
    return answer
  },
})

/** A new key that signs the calls of a subscription, and its other half if it has one. */
async function makeKey(signing: Signing): Promise<{ key: string; publicKey: string | null }> {
  if (signing === 'v1') return { key: makeSigningSecret(), publicKey: null }
  const { privateKey, publicKey } = await makeSigningPair()
  return { key: privateKey, publicKey }
}

const list = listOwn({
  path: PATH,
  operationId: 'listWebhooks',
  tag: 'Callbacks',
  summary: 'Get your subscriptions',
  description: doc('Returns your subscriptions in order of id, without secrets.'),
  query: PageQuery,
  page: WebhookPage,
  found: doc('A page of your subscriptions'),
  list: (query, caller, { session }) => listWebhooks(session.db, caller.id, query),
  present: presentWebhook,
})

const read = readOwn({
  path: `${PATH}/{webhookId}`,
  operationId: 'getWebhook',
  tag: 'Callbacks',
  summary: 'Get a subscription',
  description: doc('Returns one of your subscriptions, without its secret.'),
  params: WebhookPath,
  schema: Webhook,
  found: doc('The subscription'),
  missing: NO_WEBHOOK,
  find: ({ webhookId }, caller, { session }) => findWebhook(session.db, caller.id, webhookId),
  present: presentWebhook,
})

const update = defineRoute({
  method: 'patch',
  path: `${PATH}/{webhookId}`,
  operationId: 'updateWebhook',
  tag: 'Callbacks',
  summary: 'Change a subscription',
  description: doc(
    'Changes the members that you send. The others stay unchanged, with one exception: if you set a URL of another origin, you must send `auth` again, because credentials are not carried over to another origin. Set `status` to pause or resume the subscription. While a subscription is not active, new events are not sent to it, and pending deliveries are cancelled. You can redeliver them. The response is 409 if another of your subscriptions has the new URL, or if other requests kept changing this subscription for five seconds.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  params: WebhookPath,
  body: entity(WebhookPatch, ALL_FORMATS, { inspect: findWebhookFaults }),
  responses: { 200: { description: doc('The updated subscription'), schema: Webhook } },
  problems: ['conflict'],
  async handle({ params: { webhookId }, body, caller }, context) {
    const read = await requireWebhook(context.session.db, caller.id, webhookId)
    return reply(200, presentWebhook(await changeWebhook(read, body, context)))
  },
})

const remove = deleteOwn({
  path: `${PATH}/{webhookId}`,
  operationId: 'deleteWebhook',
  tag: 'Callbacks',
  summary: 'Delete a subscription',
  description: doc('Deletes one of your subscriptions. Its pending deliveries are cancelled. The log stays.'),
  params: WebhookPath,
  done: doc('The subscription was deleted'),
  missing: NO_WEBHOOK,
  remove: ({ webhookId }, caller, { session }) => deleteWebhook(session, caller.id, webhookId),
})

const ping = defineRoute({
  method: 'post',
  path: `${PATH}/{webhookId}/ping`,
  operationId: 'pingWebhook',
  tag: 'Callbacks',
  summary: 'Ping a subscription',
  description: doc(
    'Sends the event `ping` to the receiver, signed and with credentials like any other event. This also works if the subscription is paused. `Location` is the URL of the delivery in the log, which shows the response of the receiver. The response is 409 if the subscription kept changing for five seconds. In this case, send the request again.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  params: WebhookPath,
  responses: {
    202: {
      description: doc('The ping will be delivered'),
      headers: ['Location'],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}/deliveries/1` },
    },
  },
  problems: ['account-limit-reached', 'conflict'],
  async handle({ params, caller }, context) {
    const read = await requireWebhook(context.session.db, caller.id, params.webhookId)
    const deliveryId = await pingWebhook(read, context)
    return reply(202, undefined, { Location: `${context.baseUrl}/deliveries/${deliveryId}` })
  },
})

/** The columns of a subscription from which its representation is made. */
type ShownWebhook = Pick<StoredWebhook, 'id' | 'url' | 'events' | 'status' | 'publicKey' | 'authScheme' | 'createdAt'>

function presentWebhook({ id, url, events, status, publicKey, authScheme, createdAt }: ShownWebhook): Webhook {
  const scheme = ReceiverScheme.options.find((name) => name === authScheme)
  return {
    id,
    url,
    events,
    status,
    ...(publicKey === null ? { signing: 'v1' } : { signing: 'v1a', publicKey }),
    ...(scheme && { auth: { scheme } }),
    createdAt: createdAt.toISOString(),
  }
}

export const webhookRoutes: readonly Route[] = [create, list, read, update, remove, ping, sendTest, ...checkRoutes]
