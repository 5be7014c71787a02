import { renderPage } from '../../design/page.tsx'
import { formPolicy } from '../../design/policies.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { clientName, consentPolicy } from './consent-page.tsx'
import { addParameters } from './redirect-uris.ts'
import { mayRememberConsent } from './trust.ts'

/** What the sign-in page shows besides the request. */
interface SignInFormState {
  csrf: string
  email?: string
  /** Whether the user has just sent a wrong e-mail address or password. */
  isWrong?: boolean
}

/** The page on which a user signs in. */
export async function renderSignInPage(request: AuthorizationRequest, form: SignInFormState): Promise<string> {
  return await renderPage({
    // When a page loads, a screen reader announces the title and the focused element, but not an alert.
    title: form.isWrong ? 'Wrong e-mail or password: Sign in to Galaxy' : 'Sign in to Galaxy',
    width: 'form',
    content: <SignIn request={request} form={form} />,
  })
}

function SignIn({ request, form }: { request: AuthorizationRequest; form: SignInFormState }) {
  const { csrf, email, isWrong } = form
  const { parameters } = request
  const fault = isWrong ? ({ 'aria-describedby': 'fault', 'aria-invalid': 'true' } as const) : {}
  return (
    <>
      <h1>Sign in to Galaxy</h1>
      <p>
        to continue to{' '}
        <strong>
          <bdi>{clientName(request)}</bdi>
        </strong>
      </p>
      {isWrong && (
        <p class="fault" role="alert" id="fault">
          The e-mail address or the password is wrong.
        </p>
      )}
      <form method="post" action={addParameters('/oauth/sign-in', parameters, 'query')}>
        <input type="hidden" name="csrf" value={csrf} />
        <label for="email">E-mail address</label>
        <input
          id="email"
          name="email"
          type="email"
          autocomplete="username"
          required
          value={email ?? parameters.login_hint ?? ''}
          {...fault}
        />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          autofocus={isWrong}
          {...fault}
        />
        <button type="submit">Sign in</button>
      </form>
      <p>
        No account yet? Create one with <a href="/docs#tag/authentication/POST/user/signup">POST /user/signup</a>.
      </p>
    </>
  )
}

/**
 * The Content-Security-Policy of the page. If the user's consent may be remembered, submitting the form can redirect to
 * the client immediately, so the policy must allow it.
 */
export function signInPolicy(request: AuthorizationRequest): string {
  return mayRememberConsent(request) ? consentPolicy(request) : formPolicy("'self'")
}
