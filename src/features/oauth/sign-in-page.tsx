import { renderPage } from '../../design/page.tsx'
import { formPolicy } from '../../design/policies.ts'
import type { RenderedPage } from '../../design/rendered-page.ts'
import type { ProblemError } from '../../domain/problems.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { clientName, consentPolicy } from './consent-page.tsx'
import { addParameters } from './redirect-uris.ts'
import { mayRememberConsent } from './trust.ts'

interface SignInFormState {
  csrf: string
  signupOpen: boolean
  email?: string
  /** Whether the user has just sent a wrong e-mail address or password. */
  isWrong?: boolean
  /** Why the password was not checked. */
  refusal?: ProblemError
}

export async function renderSignInPage(request: AuthorizationRequest, form: SignInFormState): Promise<RenderedPage> {
  return await renderPage({
    // When a page loads, a screen reader announces the title and the focused element, but not an alert.
    title: `${announceFault(form)}Sign in to Galaxy`,
    description: 'Sign in with your account of Galaxy, then continue to the application that you come from.',
    width: 'form',
    content: <SignIn request={request} form={form} />,
  })
}

/** The beginning of the title that says why the form is shown again; empty if it is shown for the first time. */
function announceFault({ isWrong, refusal }: SignInFormState): string {
  if (isWrong) return 'Wrong e-mail or password: '
  return refusal ? 'Not signed in yet: ' : ''
}

function SignIn({ request, form }: { request: AuthorizationRequest; form: SignInFormState }) {
  const { parameters } = request
  return (
    <>
      <h1>Sign in to Galaxy</h1>
      <p>
        to continue to{' '}
        <strong>
          <bdi>{clientName(request)}</bdi>
        </strong>
      </p>
      {(form.isWrong || form.refusal) && (
        <p class="fault" role="alert" id="fault">
          {form.refusal?.message ?? 'The e-mail address or the password is wrong.'}
        </p>
      )}
      <SignInForm parameters={parameters} form={form} />
      {form.signupOpen && (
        <p>
          No account yet? <a href={addParameters('/oauth/sign-up', parameters, 'query')}>Create an account</a>
        </p>
      )}
    </>
  )
}

function SignInForm({ parameters, form }: { parameters: AuthorizationRequest['parameters']; form: SignInFormState }) {
  const { csrf, isWrong, email = parameters.login_hint ?? '' } = form
  const faultAttributes = isWrong ? ({ 'aria-describedby': 'fault', 'aria-invalid': 'true' } as const) : {}
  return (
    <form class="panel" method="post" action={addParameters('/oauth/sign-in', parameters, 'query')}>
      <input type="hidden" name="csrf" value={csrf} />
      <label for="email">E-mail address</label>
      <input
        id="email"
        name="email"
        type="email"
        autocomplete="username"
        required
        autofocus={email === ''}
        value={email}
        {...faultAttributes}
      />
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        autofocus={email !== ''}
        {...faultAttributes}
      />
      <button type="submit">Sign in</button>
    </form>
  )
}

/**
 * The Content-Security-Policy of the page. If the user's consent may be remembered, submitting the form can redirect to
 * the client immediately, so the policy must allow it.
 */
export function signInPolicy(request: AuthorizationRequest): string {
  return mayRememberConsent(request) ? consentPolicy(request) : formPolicy("'self'")
}
