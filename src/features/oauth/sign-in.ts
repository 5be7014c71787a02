import { doc } from '#doc'
import { form } from '../../http/body/form.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { AuthorizationParameters, SignInForm } from '../../schemas/oauth.ts'
import { signInFor, signInPolicy } from './authorization-pages.tsx'
import { checkRequest, continueSignedIn, reportErrorsToClient } from './authorization-request.ts'
import { recogniseBrowser, requireOwnForm } from './browser.ts'
import { FORM_PAGES } from './responses.ts'
import { answerSignIn } from './sign-in-form.ts'
import { startSignIn } from './start-sign-in.ts'

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
  async handle({ query, body: { csrf, ...credentials } }, context) {
    const browser = await recogniseBrowser(context)
    requireOwnForm(browser, csrf, context)
    return await reportErrorsToClient(browser, context, async () => {
      const request = await checkRequest(query, context)
      const occasion = signInFor(request, browser, context)
      return await answerSignIn(credentials, occasion, signInPolicy(request), context, async (account) =>
        continueSignedIn(query, await startSignIn(browser, account, context)),
      )
    })
  },
})
