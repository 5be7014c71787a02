import { doc } from '#doc'
import { requireActive } from '../../auth/authenticate.ts'
import { bearerChallenge } from '../../auth/challenges.ts'
import { provePassword } from '../../auth/prove-password.ts'
import { form } from '../../http/body/form.ts'
import { pageBody } from '../../http/pages.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { requireWritesLeft } from '../../http/pipeline/write-limit.ts'
import { AuthorizationParameters, SignInForm } from '../../schemas/oauth.ts'
import { checkRequest, reportErrorsToClient } from './authorization-request.ts'
import { recogniseBrowser, requireOwnForm } from './browser.ts'
import { findRefusal } from './form-refusal.ts'
import { FORM_PAGES } from './responses.ts'
import { renderSignInPage, signInPolicy } from './sign-in-page.tsx'
import { startSignIn } from './start-sign-in.ts'

/** The problems after which the user can try again later. The form shows them, and keeps the e-mail address. */
const SHOWN_IN_FORM = ['too-many-requests', 'service-unavailable'] as const

/** How the event `login.attempt` describes a sign-in with this page. */
const BY_PAGE = { method: 'oauth', tokenType: 'OAuth' } as const

/** Handles the form of the sign-in page. */
export const signIn = defineRoute({
  method: 'post',
  path: '/oauth/sign-in',
  operationId: 'signIn',
  tag: 'OAuth',
  summary: 'Submit the sign-in page',
  description: doc('Accepts the form of the page that /oauth/authorize shows if no one is signed in with the browser.'),
  since: '2.0.0',
  errorStyle: 'page',
  security: [],
  query: AuthorizationParameters,
  body: form(SignInForm),
  responses: FORM_PAGES,
  async handle({ query, body: { csrf, email = '', password = '' } }, context) {
    const browser = await recogniseBrowser(context)
    requireOwnForm(browser, csrf, context)
    return await reportErrorsToClient(browser, context, async () => {
      const request = await checkRequest(query, context)
      const { signupOpen } = context.services.config
      const formState = { csrf: browser.csrf, signupOpen, email }
      const policy = { 'Content-Security-Policy': signInPolicy(request) }
      // A sign-in is stored, so it counts as a write of the account.
      const admit = (account: { id: number }) => requireWritesLeft(context.services, account)
      try {
        const { account, headers } = await provePassword({ email, password }, context, 'failures', BY_PAGE, admit)
        if (account) {
          requireActive(account)
          return await startSignIn(browser, account, query, context)
        }
        const page = await renderSignInPage(request, { ...formState, isWrong: true })
        const challenge = { 'WWW-Authenticate': bearerChallenge(context.baseUrl) }
        return reply(401, pageBody(page), { ...headers, ...challenge, ...policy })
      } catch (error) {
        const { refusal, status } = findRefusal(error, SHOWN_IN_FORM)
        const page = await renderSignInPage(request, { ...formState, refusal })
        return reply(status, pageBody(page), { ...refusal.headers, ...policy })
      }
    })
  },
})
