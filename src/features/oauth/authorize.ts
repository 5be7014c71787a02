import { form } from '../../http/body.ts'
import type { RequestContext } from '../../http/context.ts'
import { replyPage } from '../../http/pages.ts'
import { defineRoute, type Route, reply } from '../../http/route.ts'
import { AuthorizationParameters } from '../../schemas/oauth.ts'
import {
  type AuthorizationRequest,
  answerTo,
  ClientFault,
  checkRequest,
  hasToSignIn,
  tellingClient,
} from './authorization-request.ts'
import { recogniseBrowser } from './browser.ts'
import { consentPolicy, renderConsentPage } from './consent-page.ts'
import { addParameters } from './redirect-uris.ts'
import { FORM_PAGES, PAGES } from './responses.ts'
import { renderSignInPage, SIGN_IN_POLICY } from './sign-in-page.ts'

const texts = {
  path: '/oauth/authorize',
  tag: 'OAuth',
  since: '2.0.0',
  errors: 'page',
  security: [],
} as const

/** The authorization endpoint (RFC 6749, section 3.1). */
const authorize = defineRoute({
  ...texts,
  method: 'get',
  operationId: 'authorize',
  summary: 'Ask a user for access',
  description:
    'Where a client sends the browser of a user, who signs in and allows what the client asks for, or does not. The answer goes to the redirect URI of the client: a code for /oauth/token.',
  query: AuthorizationParameters,
  responses: PAGES,
  handle: ({ query }, context) => showPage(query, context),
})

/**
 * With POST, as OpenID Connect Core 1.0, section 3.1.2.1 has it too. The browser does not send its cookie along from
 * another site's form, but with a redirect it does.
 */
const authorizeByForm = defineRoute({
  ...texts,
  method: 'post',
  operationId: 'authorizeByForm',
  summary: 'Ask a user for access, by a form',
  description: 'As GET, with the parameters in a form: redirects there.',
  body: form(AuthorizationParameters),
  responses: FORM_PAGES,
  async handle({ body }) {
    return reply(303, undefined, { Location: addParameters(texts.path, body, 'query') })
  },
})

function showPage(parameters: AuthorizationParameters, context: RequestContext) {
  return tellingClient(async () => {
    const request = await checkRequest(parameters, context)
    const { signedIn, headers, csrf } = await recogniseBrowser(context)
    const isKnown = signedIn !== undefined && !hasToSignIn(request, signedIn, context.now)
    if (request.prompts.includes('none')) throw refuseToAsk(request, isKnown, context.baseUrl)
    if (!isKnown) return replyPage(await renderSignInPage(request, { csrf }), SIGN_IN_POLICY, headers)
    return replyPage(await renderConsentPage(request, { csrf, signedIn }), consentPolicy(request), headers)
  })
}

/** The user is always asked, so where nobody may be asked nothing can be given. */
function refuseToAsk(request: AuthorizationRequest, isKnown: boolean, issuer: string): ClientFault {
  const answer = isKnown
    ? { error: 'consent_required', error_description: 'The user has to allow it.' }
    : { error: 'login_required', error_description: 'The user has to sign in.' }
  return new ClientFault(answerTo(request, answer, issuer))
}

export const authorizationRoutes: readonly Route[] = [authorize, authorizeByForm]
