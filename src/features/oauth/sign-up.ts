import { doc } from '#doc'
import { createAccount, requireOpenSignUp } from '../../auth/create-account.ts'
import { formPolicy } from '../../design/policies.ts'
import { OAuthError } from '../../domain/oauth-errors.ts'
import { form } from '../../http/body/form.ts'
import { requireValid } from '../../http/body/reader.ts'
import { pageBody, replyPage } from '../../http/pages.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { AuthorizationParameters, SignUpForm } from '../../schemas/oauth.ts'
import { SignUp } from '../../schemas/user.ts'
import {
  type AuthorizationRequest,
  ClientFault,
  checkRequest,
  continueSignedIn,
  reportErrorsToClient,
} from './authorization-request.ts'
import { recogniseBrowser, requireOwnForm } from './browser.ts'
import { findRefusal } from './form-refusal.ts'
import { PAGES, SIGN_UP_PAGES } from './responses.ts'
import { renderSignUpPage } from './sign-up-page.tsx'
import { startSignIn } from './start-sign-in.ts'

const common = { path: '/oauth/sign-up', tag: 'OAuth', since: '2.0.0', errorStyle: 'page', security: [] } as const

/** The owner of a new account is always asked for consent, so submitting the form never redirects to the client. */
const POLICY = formPolicy("'self'")

/** The problems that the user can solve in the form. The form shows them, and keeps the name and the e-mail address. */
const SHOWN_IN_FORM = [
  'invalid-body',
  'conflict',
  'unprocessable-content',
  'too-many-requests',
  'service-unavailable',
] as const

const openSignUp = defineRoute({
  ...common,
  method: 'get',
  operationId: 'openSignUp',
  summary: 'Open the sign-up page',
  description: doc(
    'The page on which a user who has no account creates one. The sign-in page links to it, with the parameters of the authorization request.',
  ),
  query: AuthorizationParameters,
  responses: PAGES,
  async handle({ query }, context) {
    requireOpenSignUp(context.services.config)
    const browser = await recogniseBrowser(context)
    const { csrf, headers } = browser
    return await reportErrorsToClient(browser, context, async () => {
      const request = requireInteraction(await checkRequest(query, context))
      return replyPage(await renderSignUpPage(request, { csrf, email: query.login_hint }), POLICY, headers)
    })
  },
})

const signUp = defineRoute({
  ...common,
  method: 'post',
  operationId: 'signUp',
  summary: 'Submit the sign-up page',
  description: doc(
    'Creates an account and signs the user in with the browser. Then the authorization request continues. The number of accounts that one address can create per hour is limited, together with those of POST /user/signup.',
  ),
  query: AuthorizationParameters,
  body: form(SignUpForm),
  responses: SIGN_UP_PAGES,
  async handle({ query, body: { csrf, ...fields } }, context) {
    const browser = await recogniseBrowser(context)
    requireOwnForm(browser, csrf, context)
    return await reportErrorsToClient(browser, context, async () => {
      const request = requireInteraction(await checkRequest(query, context))
      try {
        // An absent password counts as an empty one, so the form says which passwords can be used.
        const input = requireValid(SignUp, { ...fields, password: fields.password ?? '' })
        const { account } = await createAccount(input, context)
        return continueSignedIn(query, await startSignIn(browser, account, context))
      } catch (error) {
        const { refusal, status } = findRefusal(error, SHOWN_IN_FORM)
        const { email, name } = fields
        const page = await renderSignUpPage(request, { csrf: browser.csrf, email, name, refusal })
        return reply(status, pageBody(page), { ...refusal.headers, 'Content-Security-Policy': POLICY })
      }
    })
  },
})

/**
 * Refuses a request that must not show a page (OpenID Connect Core 1.0, section 3.1.2.1).
 *
 * @throws ClientFault login_required
 */
function requireInteraction(request: AuthorizationRequest): AuthorizationRequest {
  if (!request.prompts.includes('none')) return request
  throw new ClientFault(request, new OAuthError('login_required', 'The user must sign in.'))
}

export const signUpRoutes: readonly Route[] = [openSignUp, signUp]
