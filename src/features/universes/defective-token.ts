import { doc } from '#doc'
import { tokenSecondsOf } from '../../auth/bearer.ts'
import { makeDefectiveToken } from '../../auth/defective-tokens.ts'
import type { Caller } from '../../auth/scheme.ts'
import type { Scope } from '../../domain/scopes.ts'
import { entity } from '../../http/body/entity.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { newUuid } from '../../lib/ids.ts'
import { dateOf, secondsOf } from '../../lib/time.ts'
import { DefectiveToken, DefectiveTokenInput } from '../../schemas/defective-token.ts'
import { LABORATORY_CLIENT } from '../../stores/anonymous-rows.ts'
import { insertLaboratoryGrant } from '../../stores/laboratory-grants.ts'
import { owned, requireOwner, UNIVERSE_PATH } from './own-universe.ts'

export const TOKENS_PATH = `${UNIVERSE_PATH}/tokens`

const SCOPES = ['read:account', 'write:account', 'read:planets', 'write:planets'] as const satisfies Scope[]

export const createDefectiveToken = defineRoute({
  ...owned,
  method: 'post',
  path: TOKENS_PATH,
  operationId: 'createDefectiveToken',
  summary: 'Get a token with a defect',
  description: doc(
    'Makes an access token that is right but for one thing, so that you can test what verifies tokens. `expect` says what every operation that takes `oAuth2` answers to it. No operation of any world takes the token; one without a scope is refused where a scope is needed. Introspection says that it is not active. For a control, take a token of client credentials. Only the owner of the universe can do this.',
  ),
  formats: ['json'],
  // A token that must not be stored has no reply for retries.
  keepsReply: false,
  body: entity(DefectiveTokenInput, ['json']),
  responses: { 201: { description: doc('The token'), schema: DefectiveToken } },
  async handle({ body: { defect }, caller }, context) {
    requireOwner(caller)
    const { services, session, baseUrl, now } = context
    await session.requireCredential()
    const grantId = newUuid('grant')
    const expiresAt = dateOf(secondsOf(now) + tokenSecondsOf(services))
    // Of all grants that the tokens name, only this one exists, because the token would be refused for its grant.
    if (defect === 'no-scope') await storeGrant(grantId, expiresAt, caller, context)
    const claims = {
      sub: String(caller.id),
      client_id: LABORATORY_CLIENT,
      scope: SCOPES.join(' '),
      grant_id: grantId,
    }
    const made = await makeDefectiveToken(defect, { tokens: services.tokens, issuer: baseUrl, claims, now, expiresAt })
    return reply(201, { defect, ...made })
  },
})

async function storeGrant(
  id: string,
  expiresAt: Date,
  caller: Caller,
  { session, now }: RequestContext,
): Promise<void> {
  const { id: userId, passwordGeneration } = caller
  const grant = { id, userId, passwordGeneration, scopes: [], authenticatedAt: null, expiresAt }
  await insertLaboratoryGrant(session, grant, now)
}
