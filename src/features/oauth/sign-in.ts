import { requireActive } from '../../auth/authenticate.ts'
import { bearerChallenge } from '../../auth/challenges.ts'
import { type ProvedAccount, provePassword } from '../../auth/prove-password.ts'
import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import { form } from '../../http/body/form.ts'
import { pageBody } from '../../http/pages.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { requireWritesLeft } from '../../http/pipeline/write-limit.ts'
import { AuthorizationParameters, SignInForm } from '../../schemas/oauth.ts'
import { insertSignIn } from '../../stores/sign-ins.ts'
import { checkRequest, reportErrorsToClient } from './authorization-request.ts'
import { type Browser, recogniseBrowser, requireOwnForm, SIGN_IN_LIFETIME_SECONDS, writeCookie } from './browser.ts'
import { addParameters } from './redirect-uris.ts'
import { FORM_PAGES } from './responses.ts'
import { renderSignInPage, signInPolicy } from './sign-in-page.tsx'

/** Handles the form of the sign-in page. */
export const signIn = defineRoute({
  method: 'post',
  path: '/oauth/sign-in',
  operationId: 'signIn',
  tag: 'OAuth',
  summary: 'Submit the sign-in page',
  description: 'Accepts the form of the page that /oauth/authorize shows if no one is signed in with the browser.',
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
      const { account, headers: limitHeaders } = await provePassword({ email, password }, context, 'failures')
      if (!account) {
        const page = await renderSignInPage(request, { csrf: browser.csrf, email, isWrong: true })
        const challenge = { 'WWW-Authenticate': bearerChallenge(context.baseUrl) }
        const headers = { ...limitHeaders, ...challenge, 'Content-Security-Policy': signInPolicy(request) }
        return reply(401, pageBody(page), headers)
      }
      requireActive(account)
      await requireWritesLeft(context.services, account)
      const cookie = await storeSignIn(browser, account, context)
      return reply(303, undefined, { Location: continuationUrl(query), 'Set-Cookie': cookie })
    })
  },
})

/** Stores the sign-in under a new secret. @returns The cookie that identifies the browser from now on */
async function storeSignIn(
  { hash }: Browser,
  { id, passwordGeneration }: ProvedAccount,
  { session, baseUrl, now }: RequestContext,
): Promise<string> {
  const secret = makeSecret()
  const expiresAt = new Date(now.getTime() + SIGN_IN_LIFETIME_SECONDS * 1000)
  const newSignIn = { hash: await hashSecret(secret), userId: id, passwordGeneration, expiresAt }
  await insertSignIn(session.db, newSignIn, hash, now)
  return writeCookie(secret, baseUrl)
}

/** The URL of the authorization request, without the parameters that asked for this sign-in. */
function continuationUrl({ prompt, max_age: _, ...parameters }: AuthorizationParameters): string {
  const remainingPrompts = prompt?.split(' ').filter((name) => name !== 'login' && name !== 'select_account')
  return addParameters('/oauth/authorize', { ...parameters, prompt: remainingPrompts?.join(' ') || undefined }, 'query')
}
