import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { commit } from '../../changes/commit.ts'
import { enqueue } from '../../changes/enqueue.ts'
import type { Database } from '../../db/port.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { ProblemError } from '../../domain/problems.ts'
import { type CheckResult, DEFECTS } from '../../domain/receiver-tests.ts'
import type { Reply } from '../../domain/reply.ts'
import { entity } from '../../http/body/entity.ts'
import { readOwn } from '../../http/own-routes.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import { FileBody, reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { newUuid } from '../../lib/ids.ts'
import { CheckPath, EXAMPLE_CHECK_ID, ReceiverCheck, ReceiverCheckInput } from '../../schemas/receiver-test.ts'
import { WebhookPath } from '../../schemas/webhook.ts'
import { findCheck, insertCheck, type StoredCheck } from '../../stores/callbacks/receiver-tests.ts'
import { type StoredWebhook, sameUrl, selectWebhook } from '../../stores/webhooks.ts'
import { requireOwnWebhook, requireWebhook } from './access.ts'
import { checkToJUnit } from './check-junit.ts'
import { planTest, storeTests, writePayload } from './plan-tests.ts'
import { presentCheck } from './present-check.ts'

const PATH = '/webhooks/{webhookId}/checks'
const CHECK_PATH = `${PATH}/{checkId}`
const DECLARED = { tag: 'Callbacks', since: '2.0.0', security: ALL_SCHEMES, formats: ['json'] } as const
const XML = 'application/xml'
const NO_CHECK =
  'You have no check with this id of this subscription. A check is kept for 24 hours, and a subscription keeps its last ten.'

const create = defineRoute({
  ...DECLARED,
  method: 'post',
  path: PATH,
  operationId: 'checkWebhook',
  summary: 'Check the receiver of a subscription',
  description: doc(
    'Sends the tests of all defects that are not in `skip`, one after another, each as a delivery in the log. `Location` is the check, which has the verdicts. There must be room in your log for all of them. If the first call gets no answer at all, the rest is not sent, nor is what is left after ten minutes. The response is 409 if another check of the subscription is running, or if the subscription kept changing for five seconds. The last ten checks of a subscription are kept, each for 24 hours.',
  ),
  scope: 'write:account',
  keepsReply: true,
  params: WebhookPath,
  prefetch: ({ webhookId }) => selectWebhook(webhookId),
  body: entity(ReceiverCheckInput, ['json'], { mayBeEmpty: true }),
  responses: {
    202: {
      description: doc('The check'),
      schema: ReceiverCheck,
      headers: ['Location'],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}/webhooks/1/checks/${EXAMPLE_CHECK_ID}` },
      links: {
        GetWebhookCheck: {
          operationId: 'getWebhookCheck',
          description: doc('The check, with the verdicts'),
          parameters: { webhookId: '$request.path.webhookId', checkId: '$response.body#/id' },
        },
      },
    },
  },
  problems: ['account-limit-reached', 'conflict'],
  async handle({ params: { webhookId }, body, caller, prefetched }, context) {
    const read = requireOwnWebhook(prefetched, caller)
    const write = (webhook: StoredWebhook) => beginCheck(webhook, body, context)
    const reread = (db: Database) => requireWebhook(db, caller.id, webhookId)
    return await writeWhatWasRead(
      { resource: `webhook ${webhookId}`, read, isConditional: false, write, reread },
      context,
    )
  },
})

async function beginCheck(
  webhook: StoredWebhook,
  { event, payload, skip }: ReceiverCheckInput,
  context: RequestContext,
): Promise<Reply<202, ReceiverCheck>> {
  const { now, services, baseUrl } = context
  const results = DEFECTS.map((defect): CheckResult => {
    const reason = skip[defect]
    const verdict = reason === undefined ? null : 'skipped'
    return { defect, verdict, reason: reason ?? null, statuses: [], deliveryId: null }
  })
  const sent = results.filter(({ verdict }) => verdict === null).map(({ defect }) => defect)
  const ids = await context.takeIds({ deliveries: sent.length })
  const tests = sent.map((defect) => planTest(event, defect, ids.next('deliveries')))
  const check: StoredCheck = {
    id: newUuid('check'),
    webhookId: webhook.id,
    event,
    results,
    createdAt: now,
    // If everything is skipped, nothing is left to do.
    endedAt: sent.length === 0 ? now : null,
  }
  const answer = reply(202, presentCheck({ ...check, publicKey: webhook.publicKey }), {
    Location: `${baseUrl}/webhooks/${webhook.id}/checks/${check.id}`,
  })
  const inserted = insertCheck(check, isRunning())
  const stored = storeTests(
    webhook,
    { event, payload: writePayload(event, payload, baseUrl), checkId: check.id },
    tests,
    now,
  )
  await commit(context, {
    ids,
    requires: [sameUrl(webhook), ...inserted.requires],
    statements: [...inserted.statements, ...stored.statements],
    charge: stored.charge,
    reply: answer,
  })
  const [first] = tests
  if (first) enqueue(services, [{ delivery: first.deliveryId }])
  return answer
}

function isRunning(): ProblemError {
  return new ProblemError('conflict', 'Another check of this subscription is running. Wait until it has ended.')
}

const params = WebhookPath.extend(CheckPath.shape)

const read = readOwn({
  ...DECLARED,
  path: CHECK_PATH,
  operationId: 'getWebhookCheck',
  summary: 'Get a check of a receiver',
  description: doc(
    'Returns a check with its verdicts. All defects are there from the beginning, in the order in which they are sent.',
  ),
  params,
  schema: ReceiverCheck,
  found: doc('The check'),
  missing: NO_CHECK,
  find: (key, caller, { session, now }) => findCheck(session.db, caller.id, key, now),
  present: presentCheck,
})

const junit = defineRoute({
  ...DECLARED,
  method: 'get',
  path: `${CHECK_PATH}/junit.xml`,
  operationId: 'getWebhookCheckJUnit',
  summary: 'Get the results of a check for CI',
  description: doc(
    'Returns the results in the format of JUnit, which CI services show: the suite `good` with the calls that the receiver should accept, and the suite `bad` with those that it should refuse. The response is 409 as long as the check runs.',
  ),
  scope: 'read:account',
  params,
  responses: { 200: { description: doc('The results of the check'), files: [XML] } },
  problems: ['conflict'],
  async handle({ params: key, caller }, { session, now }) {
    const check = await findCheck(session.db, caller.id, key, now)
    if (!check) throw new ProblemError('not-found', NO_CHECK)
    if (!check.endedAt) throw new ProblemError('conflict', 'The check is still running.')
    return reply(200, new FileBody(XML, checkToJUnit(check)))
  },
})

export const checkRoutes: readonly Route[] = [create, read, junit]
