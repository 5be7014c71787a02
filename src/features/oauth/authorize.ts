import { doc } from '#doc'
import { OAuthError } from '../../domain/oauth-errors.ts'
import { uncheckedForm } from '../../http/body/form.ts'
import { replyPage } from '../../http/pages.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { AuthorizationParameters } from '../../schemas/oauth.ts'
import { allowRequest } from './allow.ts'
import { consentPolicy, renderConsentPage, signInFor, signInPolicy } from './authorization-pages.tsx'
import { ClientFault, checkRequest, mustSignIn, reportErrorsToClient } from './authorization-request.ts'
import { recogniseBrowser } from './browser.ts'
import { FORM_PAGES, PAGES } from './responses.ts'
import { renderSignInPage } from './sign-in-page.tsx'
import { hasRememberedConsent } from './trust.ts'

const common = {
  path: '/oauth/authorize',
  tag: 'OAuth',
  since: '2.0.0',
  errorStyle: 'page',
  security: [],
} as const

/** The authorization endpoint (RFC 6749, section 3.1). */
const authorize = defineRoute({
  ...common,
  method: 'get',
  operationId: 'authorize',
  summary: 'Request access from a user',
  description: doc(
    'The authorization endpoint. A client sends the browser of a user here. The user signs in and allows or denies the request. The response goes to the redirect URI of the client: a code for /oauth/token, or an ID token. It is sent with a redirect, or with a page whose form submits itself (`response_mode=form_post`). If the client has an owner, the service remembers the scopes that the user allowed, and does not ask for them again.',
  ),
  query: AuthorizationParameters,
  responses: PAGES,
  handle: ({ query }, context) => showPage(query, context),
})

/**
 * OpenID Connect Core 1.0, section 3.1.2.1, requires POST. This route only redirects to GET. A browser does not send
 * the cookie of this service with a form from another site, but sends it with the GET that follows.
 */
const authorizeByForm = defineRoute({
  ...common,
  method: 'post',
  operationId: 'authorizeByForm',
  summary: 'Request access from a user with a form',
  description: doc('The same as GET, with the parameters in a form. Redirects to GET.'),
  body: uncheckedForm(AuthorizationParameters),
  responses: FORM_PAGES,
  async handle({ body }) {
    // Repeated parameters too, because GET reports all errors, most of them to the client.
    const known = [...body].filter(
      ([name, value]) => value !== '' && Object.hasOwn(AuthorizationParameters.shape, name),
    )
    return reply(303, undefined, { Location: `${common.path}?${new URLSearchParams(known)}` })
  },
})

/** Shows the page to sign in or to give consent. If the user needs neither, responds to the client immediately. */
async function showPage(parameters: AuthorizationParameters, context: RequestContext) {
  const browser = await recogniseBrowser(context, parameters.client_id)
  const { signedIn, headers, csrf } = browser
  return await reportErrorsToClient(browser, context, async () => {
    const request = await checkRequest(parameters, context)
    const mayShowPage = !request.prompts.includes('none')
    if (!signedIn || mustSignIn(request, signedIn, context.now)) {
      if (mayShowPage) {
        const email = parameters.login_hint ?? ''
        const page = await renderSignInPage(signInFor(request, browser, context), { email })
        return replyPage(page, signInPolicy(request), headers)
      }
      throw new ClientFault(request, new OAuthError('login_required', 'The user must sign in.'))
    }
    if (hasRememberedConsent(request, signedIn)) {
      // If the user has revoked the consent meanwhile, the new grant ends as soon as it is stored.
      return await allowRequest(request, signedIn, context, 'require')
    }
    if (mayShowPage)
      return replyPage(await renderConsentPage(request, { csrf, signedIn }), consentPolicy(request), headers)
    throw new ClientFault(request, new OAuthError('consent_required', 'The user must give consent.'))
  })
}

export const authorizationRoutes: readonly Route[] = [authorize, authorizeByForm]
