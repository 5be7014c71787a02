import { renderPage } from '../../design/page.tsx'
import type { RenderedPage } from '../../design/rendered-page.ts'
import type { ProblemError } from '../../domain/problems.ts'
import type { CallingClient } from '../../stores/clients.ts'
import { HiddenFields, type PageForm } from './page-form.tsx'
import { ClientName } from './question-page.tsx'

/** What a user signs in for. */
export interface SignInOccasion {
  /** The client with which the user continues. */
  client: CallingClient
  form: PageForm
  /** Where a user without an account creates one; undefined if nobody can. */
  signUpUrl: string | undefined
}

interface SignInFormState {
  email: string
  /** Whether the user has just sent a wrong e-mail address or password. */
  isWrong?: boolean
  /** Why the password was not checked. */
  refusal?: ProblemError
}

export async function renderSignInPage(occasion: SignInOccasion, state: SignInFormState): Promise<RenderedPage> {
  return await renderPage({
    // When a page loads, a screen reader announces the title and the focused element, but not an alert.
    title: `${announceFault(state)}Sign in to Galaxy`,
    description: 'Sign in with your account of Galaxy, then continue to the application that you come from.',
    width: 'form',
    content: <SignIn occasion={occasion} state={state} />,
  })
}

/** The beginning of the title that says why the form is shown again; empty if it is shown for the first time. */
function announceFault({ isWrong, refusal }: SignInFormState): string {
  if (isWrong) return 'Wrong e-mail or password: '
  return refusal ? 'Not signed in yet: ' : ''
}

interface SignInProps {
  occasion: SignInOccasion
  state: SignInFormState
}

function SignIn({ occasion, state }: SignInProps) {
  const { client, signUpUrl } = occasion
  return (
    <>
      <h1>Sign in to Galaxy</h1>
      <p>
        to continue to <ClientName client={client} />
      </p>
      {(state.isWrong || state.refusal) && (
        <p class="fault" role="alert" id="fault">
          {state.refusal?.message ?? 'The e-mail address or the password is wrong.'}
        </p>
      )}
      <SignInForm occasion={occasion} state={state} />
      {signUpUrl !== undefined && (
        <p>
          No account yet? <a href={signUpUrl}>Create an account</a>
        </p>
      )}
    </>
  )
}

function SignInForm({ occasion: { form }, state: { email, isWrong } }: SignInProps) {
  const faultAttributes = isWrong ? ({ 'aria-describedby': 'fault', 'aria-invalid': 'true' } as const) : {}
  return (
    <form class="panel" method="post" action={form.action}>
      <HiddenFields hidden={form.hidden} />
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
