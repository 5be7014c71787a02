import { doc } from '#doc'
import { renderPage } from '../../design/page.tsx'
import { formPolicy, TEXT_POLICY } from '../../design/policies.ts'
import { OAuthError } from '../../domain/oauth-errors.ts'
import { form, repeatedNames } from '../../http/body/form.ts'
import { replyPage } from '../../http/pages.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { definedEntries } from '../../lib/objects.ts'
import { LogoutForm, LogoutParameters } from '../../schemas/oauth.ts'
import { deleteSignIn } from '../../stores/sign-ins.ts'
import { requireOwnIdToken } from './authorization-parameters.ts'
import { type Browser, recogniseBrowser, requireOwnForm } from './browser.ts'
import { findClientForPage } from './client.ts'
import { addParameters, destinationOf, isRegistered, policySource } from './redirect-uris.ts'
import { FORM_PAGES, PAGES } from './responses.ts'
import { isRedirectTrusted } from './trust.ts'

const common = { path: '/oauth/end-session', tag: 'OAuth', since: '2.0.0', errorStyle: 'page', security: [] } as const

/** The logout endpoint (OpenID Connect RP-Initiated Logout 1.0, section 2). */
const endSession = defineRoute({
  ...common,
  method: 'get',
  operationId: 'endSession',
  summary: 'Sign a user out',
  description: doc(
    'A client sends the browser of a user here to sign the user out of the pages of this service. If no ID token identifies the user, the page asks for confirmation first. Tokens stay valid.',
  ),
  query: LogoutParameters,
  responses: PAGES,
  handle: ({ query }, context) => handleLogout(query, context),
})

/**
 * Handles the form of the confirmation page. A form without the CSRF token of this page comes from a client. It is
 * redirected to GET, because browsers send the cookie of this service with such a redirect, but not with a POST from
 * another site.
 */
const endSessionByForm = defineRoute({
  ...common,
  method: 'post',
  operationId: 'endSessionByForm',
  summary: 'Sign a user out with a form',
  description: doc('The same as GET, with the parameters in a form.'),
  body: form(LogoutForm),
  responses: FORM_PAGES,
  async handle({ body: { csrf, ...parameters } }, context) {
    if (csrf === undefined) return reply(303, undefined, { Location: addParameters(common.path, parameters, 'query') })
    const browser = await recogniseBrowser(context)
    requireOwnForm(browser, csrf, context)
    const { clientId } = await readHint(parameters, context)
    const target = await chooseTarget(parameters, clientId, context)
    return await signOut(browser, target?.location, context)
  },
})

/** Signs out without confirmation if the ID token identifies the signed-in user. */
async function handleLogout(parameters: LogoutParameters, context: RequestContext) {
  const [repeatedName] = repeatedNames(context.query)
  if (repeatedName) throw new OAuthError('invalid_request', `The parameter ${repeatedName} must be sent only once.`)
  const { userId, clientId } = await readHint(parameters, context)
  const target = await chooseTarget(parameters, clientId, context)
  const browser = await recogniseBrowser(context)
  const { signedIn } = browser
  // If a user is signed in, the ID token must be theirs. If nobody is signed in, there is no user to compare it with.
  // The token of any user is then accepted, and anyone can get such a token, so the redirect must be trusted too.
  const skipsConfirmation = signedIn ? signedIn.userId === userId : target?.isRedirectTrusted && userId !== undefined
  // If no user is signed in and no redirect is requested, there is nothing to confirm.
  const hasNothingToConfirm = !signedIn && !target
  if (skipsConfirmation || hasNothingToConfirm) return await signOut(browser, target?.location, context)
  return await askForConfirmation(parameters, target?.location, browser)
}

const DESCRIPTION = 'Sign out of Galaxy in this browser.'

/** @param location Where the browser goes next; undefined for the page "You are signed out" */
async function signOut({ hash }: Browser, location: string | undefined, { session }: RequestContext) {
  await deleteSignIn(session, hash)
  if (location !== undefined) return reply(303, undefined, { Location: location })
  const content = (
    <>
      <h1>You are signed out</h1>
      <p>You can close this page.</p>
    </>
  )
  const page = await renderPage({ title: 'Signed out', description: DESCRIPTION, width: 'form', content })
  return replyPage(page, TEXT_POLICY)
}

/**
 * Reads which user to sign out, and which client asks for it.
 *
 * @throws OAuthError invalid_request
 */
async function readHint(
  { id_token_hint, client_id }: LogoutParameters,
  context: RequestContext,
): Promise<{ userId: number | undefined; clientId: string | undefined }> {
  if (id_token_hint === undefined) return { userId: undefined, clientId: client_id }
  const hint = await requireOwnIdToken(id_token_hint, context)
  if (client_id === undefined || client_id === hint.clientId) return hint
  throw new OAuthError('invalid_request', 'id_token_hint was issued to another client than client_id.')
}

/** Where the browser goes after the sign-out. */
interface Target {
  location: string
  /** Whether a browser without a signed-in user may be redirected there without confirmation. */
  isRedirectTrusted: boolean
}

/**
 * The target that the client requests; undefined if it requests none.
 *
 * @throws OAuthError if the client is unknown or has not registered the URI
 */
async function chooseTarget(
  { post_logout_redirect_uri, state }: LogoutParameters,
  clientId: string | undefined,
  context: RequestContext,
): Promise<Target | undefined> {
  if (post_logout_redirect_uri === undefined) return undefined
  const client = await findClientForPage(clientId, context)
  if (!isRegistered(post_logout_redirect_uri, client.metadata.post_logout_redirect_uris)) {
    throw new OAuthError('invalid_request', 'The client has not registered this post_logout_redirect_uri.')
  }
  const location = addParameters(post_logout_redirect_uri, { state }, 'query')
  return { location, isRedirectTrusted: isRedirectTrusted(client) }
}

/** The page that asks whether to sign out. @param location Where the browser goes after the sign-out */
async function askForConfirmation(
  parameters: LogoutParameters,
  location: string | undefined,
  { csrf, headers, signedIn }: Browser,
) {
  const content = (
    <>
      <h1>Sign out of Galaxy?</h1>
      {signedIn ? (
        <p>
          You are signed in as <strong>{signedIn.email}</strong>. To stay signed in, close this page.
        </p>
      ) : (
        <p>No one is signed in with this browser.</p>
      )}
      {location !== undefined && (
        <p>
          The button takes you to <code>{destinationOf(location)}</code>.
        </p>
      )}
      <form method="post" action="/oauth/end-session">
        {definedEntries({ ...parameters, csrf }).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit">{signedIn ? 'Sign out' : 'Continue'}</button>
      </form>
    </>
  )
  const page = await renderPage({ title: 'Sign out of Galaxy?', description: DESCRIPTION, width: 'form', content })
  const policy = formPolicy(location === undefined ? "'self'" : `'self' ${policySource(location)}`)
  return replyPage(page, policy, headers)
}

export const endSessionRoutes: readonly Route[] = [endSession, endSessionByForm]
