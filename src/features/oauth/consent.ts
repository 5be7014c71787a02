import { doc } from '#doc'
import { form } from '../../http/body/form.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { AuthorizationParameters, ConsentForm } from '../../schemas/oauth.ts'
import { deleteSignIn } from '../../stores/sign-ins.ts'
import { allowRequest } from './allow.ts'
import { respondToClient } from './answer.ts'
import { checkRequest, mustSignIn, reportErrorsToClient } from './authorization-request.ts'
import { recogniseBrowser, requireOwnForm } from './browser.ts'
import { addParameters } from './redirect-uris.ts'
import { FORM_PAGES } from './responses.ts'
import { mayRememberConsent } from './trust.ts'

/** Handles the form of the consent page. */
export const consent = defineRoute({
  method: 'post',
  path: '/oauth/consent',
  operationId: 'consent',
  tag: 'OAuth',
  summary: 'Submit the consent page',
  description: doc('Accepts the form of the page that /oauth/authorize shows to a user who is signed in.'),
  since: '2.0.0',
  errorStyle: 'page',
  security: [],
  query: AuthorizationParameters,
  body: form(ConsentForm),
  responses: FORM_PAGES,
  async handle({ query, body: { csrf, decision } }, context) {
    const browser = await recogniseBrowser(context)
    requireOwnForm(browser, csrf, context)
    const requestUrl = addParameters('/oauth/authorize', query, 'query')
    if (decision === 'switch') await deleteSignIn(context.session, browser.hash)
    const { signedIn } = browser
    // If the user chose another account (`switch`) or is no longer signed in, the request starts again.
    const isDecided = decision === 'allow' || decision === 'deny'
    if (!isDecided || !signedIn) return reply(303, undefined, { Location: requestUrl })
    return await reportErrorsToClient(browser, context, async () => {
      const request = await checkRequest(query, context)
      if (mustSignIn(request, signedIn, context.now)) return reply(303, undefined, { Location: requestUrl })
      if (decision === 'deny') return await respondToClient(request, DENIED, context.baseUrl)
      return await allowRequest(request, signedIn, context, mayRememberConsent(request) ? 'store' : undefined)
    })
  },
})

const DENIED = { error: 'access_denied', error_description: 'The user denied the request.' }
