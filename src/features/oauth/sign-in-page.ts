import { html } from 'hono/html'
import { FORM_STYLE, formPolicy, renderPage } from '../../http/errors/pages.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { clientName, consentPolicy } from './consent-page.ts'
import { addParameters } from './redirect-uris.ts'
import { mayRememberConsent } from './trust.ts'

/**
 * The page on which a user signs in.
 *
 * @param form.isWrong Whether the user has just sent a wrong e-mail address or password
 */
export async function renderSignInPage(
  request: AuthorizationRequest,
  form: { csrf: string; email?: string; isWrong?: boolean },
): Promise<string> {
  const { parameters } = request
  const { csrf, email, isWrong } = form
  const action = addParameters('/oauth/sign-in', parameters, 'query')
  const faultAttributes = isWrong ? html` aria-describedby="fault" aria-invalid="true"` : ''
  return await renderPage(
    // When a page loads, a screen reader announces the title and the focused element, but not an alert.
    isWrong ? 'Wrong e-mail or password: Sign in to Galaxy' : 'Sign in to Galaxy',
    html`<h1>Sign in to Galaxy</h1>
<p>to continue to <strong><bdi>${clientName(request)}</bdi></strong></p>
${isWrong ? html`<p class="fault" role="alert" id="fault">The e-mail address or the password is wrong.</p>` : ''}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email ?? parameters.login_hint ?? ''}"${faultAttributes}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${faultAttributes}${isWrong ? ' autofocus' : ''}>
<button type="submit">Sign in</button>
</form>
<p>No account yet? Create one with <a href="/docs#tag/authentication/POST/user/signup">POST /user/signup</a>.</p>`,
    FORM_STYLE,
  )
}

/**
 * The Content-Security-Policy of the page. If the user's consent may be remembered, submitting the form can redirect to
 * the client immediately, so the policy must allow it.
 */
export function signInPolicy(request: AuthorizationRequest): string {
  return mayRememberConsent(request) ? consentPolicy(request) : formPolicy("'self'")
}
