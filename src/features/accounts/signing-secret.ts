import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { ensureSecret, openSecrets, previousHolds, rotateSecret } from '../../auth/signing-secrets.ts'
import type { RequestContext } from '../../http/context.ts'
import { reply } from '../../http/reply.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { SigningSecret } from '../../schemas/signing-secret.ts'
import type { StoredSecret } from '../../stores/signing-secrets.ts'

const PATH = '/me/signing-secret'

const readSecret = defineRoute({
  method: 'get',
  path: PATH,
  operationId: 'getSigningSecret',
  tag: 'Callbacks',
  summary: 'Get your signing secret',
  description: 'What signs the callbacks of your planets. It is made when it is first needed.',
  since: '2.0.0',
  security: ALL_SCHEMES,
  // Who has it can sign like the service.
  scope: 'write:account',
  responses: { 200: { description: 'The secret', schema: SigningSecret } },
  async handle({ caller }, context) {
    const { services, session, now } = context
    return reply(200, await present(await ensureSecret(session.db, services.vault, caller.id, now), context))
  },
})

const rotate = defineRoute({
  method: 'post',
  path: `${PATH}/rotate`,
  operationId: 'rotateSigningSecret',
  tag: 'Callbacks',
  summary: 'Get a new signing secret',
  description:
    'Makes a new secret, which signs `x-signature` from now on. For 24 hours `webhook-signature` has a signature by the new and one by the old, so that a receiver can change over; then the old one signs nothing. One that was in its 24 hours already ends at once.',
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  responses: { 200: { description: 'The new secret', schema: SigningSecret } },
  async handle({ caller }, context) {
    const { services, session, now } = context
    return reply(200, await present(await rotateSecret(session.db, services.vault, caller.id, now), context))
  },
})

async function present(stored: StoredSecret, { services: { vault }, now }: RequestContext): Promise<SigningSecret> {
  const { createdAt, previousEndsAt } = stored
  const [secret] = await openSecrets(stored, vault, now)
  return {
    secret,
    createdAt: createdAt.toISOString(),
    ...(previousEndsAt && previousHolds(stored, now) && { previousEndsAt: previousEndsAt.toISOString() }),
  }
}

export const signingSecretRoutes: readonly Route[] = [readSecret, rotate]
