import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import { form } from '../../http/body.ts'
import type { RequestContext } from '../../http/context.ts'
import { defineRoute, reply } from '../../http/route.ts'
import { AuthorizationParameters, ConsentForm } from '../../schemas/oauth.ts'
import { insertGrant } from '../../stores/grants.ts'
import { deleteSignIn, type SignedIn } from '../../stores/sign-ins.ts'
import {
  type AuthorizationRequest,
  answerTo,
  checkRequest,
  hasToSignIn,
  tellingClient,
} from './authorization-request.ts'
import { recogniseBrowser, requireOwnForm } from './browser.ts'
import { startGrant } from './issue.ts'
import { addParameters } from './redirect-uris.ts'
import { FORM_PAGES } from './responses.ts'

const CODE_LIFETIME_MS = 60_000

/** What the form of the consent page does. */
export const consent = defineRoute({
  method: 'post',
  path: '/oauth/consent',
  operationId: 'consent',
  tag: 'OAuth',
  summary: 'Allow or deny on the page',
  description: 'The form of the page that /oauth/authorize shows to a user who has signed in.',
  since: '2.0.0',
  errors: 'page',
  security: [],
  query: AuthorizationParameters,
  body: form(ConsentForm),
  responses: FORM_PAGES,
  async handle({ query, body: { csrf, decision } }, context) {
    const browser = await recogniseBrowser(context)
    requireOwnForm(browser, csrf, context)
    const again = addParameters('/oauth/authorize', query, 'query')
    if (decision === 'switch') await deleteSignIn(context.session.db, browser.hash)
    const { signedIn } = browser
    const isDecided = decision === 'allow' || decision === 'deny'
    if (!isDecided || !signedIn) return reply(303, undefined, { Location: again })
    return await tellingClient(async () => {
      const request = await checkRequest(query, context)
      if (hasToSignIn(request, signedIn, context.now)) return reply(303, undefined, { Location: again })
      const answer = decision === 'allow' ? await allow(request, signedIn, context) : DENIED
      return reply(303, undefined, { Location: answerTo(request, answer, context.baseUrl) })
    })
  },
})

const DENIED = { error: 'access_denied', error_description: 'The user has denied it.' }

/** Notes what the user has allowed, and makes what the client gets for it. */
async function allow(
  { client, responseType, scopes, parameters }: AuthorizationRequest,
  { userId, passwordGeneration, at }: SignedIn,
  context: RequestContext,
): Promise<Record<string, string>> {
  const { session, now } = context
  const given = { clientId: client.id, userId, passwordGeneration, scopes, authenticatedAt: at }
  if (responseType === 'token') {
    const tokens = await startGrant(given, context)
    return Object.fromEntries(Object.entries(tokens).map(([name, value]) => [name, String(value)]))
  }
  const code = makeSecret()
  const expiresAt = new Date(now.getTime() + CODE_LIFETIME_MS)
  const stored = {
    hash: await hashSecret(code),
    redirectUri: parameters.redirect_uri ?? null,
    challenge: parameters.code_challenge ?? '',
    nonce: parameters.nonce ?? null,
    expiresAt,
  }
  await insertGrant(session.db, { ...given, id: crypto.randomUUID(), expiresAt }, stored, now)
  return { code }
}
