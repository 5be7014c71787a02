import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { ensureSecret, openSecrets, previousStillSigns, rotateSecret } from '../../auth/signing-secrets.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { SigningSecret } from '../../schemas/signing-secret.ts'
import type { StoredSecret } from '../../stores/signing-secrets.ts'

const PATH = '/me/signing-secret'

const readSecret = defineRoute({
  method: 'get',
  path: PATH,
  operationId: 'getSigningSecret',
  tag: 'Callbacks',
  summary: 'Get your signing secret',
  description: doc(
    'Returns the secret that signs the callbacks of your planets. The service creates the secret when it is needed for the first time.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  // A write scope, although this is a read: anyone who has the secret can sign like the service.
  scope: 'write:account',
  responses: { 200: { description: doc('The signing secret'), schema: SigningSecret } },
  async handle({ caller }, context) {
    const { services, session, now } = context
    const stored = await ensureSecret(session, services.vault, caller.id, now)
    return reply(200, await presentSigningSecret(stored, context))
  },
})

const rotate = defineRoute({
  method: 'post',
  path: `${PATH}/rotate`,
  operationId: 'rotateSigningSecret',
  tag: 'Callbacks',
  summary: 'Rotate your signing secret',
  description: doc(
    'Creates a new secret, which signs `x-signature` from now on. For 24 hours, `webhook-signature` contains two signatures, one with the new and one with the old secret, so that your receiver can switch. After that, the old secret is no longer used. If you rotate again within these 24 hours, the oldest of the three secrets expires immediately.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  responses: { 200: { description: doc('The new signing secret'), schema: SigningSecret } },
  async handle({ caller }, context) {
    const { services, session, now } = context
    const stored = await rotateSecret(session, services.vault, caller.id, now)
    return reply(200, await presentSigningSecret(stored, context))
  },
})

/** The current secret, with the time at which the previous secret stops signing, if that time is still to come. */
async function presentSigningSecret(
  stored: StoredSecret,
  { services: { vault }, now }: RequestContext,
): Promise<SigningSecret> {
  const { createdAt, previousEndsAt } = stored
  const [currentSecret] = await openSecrets(stored, vault, now)
  const shownEnd = previousStillSigns(stored, now) ? previousEndsAt : null
  return {
    secret: currentSecret,
    createdAt: createdAt.toISOString(),
    ...(shownEnd && { previousEndsAt: shownEnd.toISOString() }),
  }
}

export const signingSecretRoutes: readonly Route[] = [readSecret, rotate]
