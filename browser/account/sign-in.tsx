import { useEffect, useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import { Outcome, readForm, useAction } from '../lib/action.tsx'
import { Dialog } from '../lib/dialog.tsx'
import { useDraft } from '../lib/draft.ts'
import { signIn, signUp } from './credentials.ts'
import { SIGN_UP_HASH } from './selection.ts'

/** Shown to a person without a session: the form to sign in, or to sign up. */
export function SignIn({ notice, onSignedIn }: { notice: string | undefined; onSignedIn(): void }) {
  const [isNew, setNew] = useIsNew()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // Moves the focus, because the element that had it is gone.
    if (notice) heading.current?.focus()
  }, [])
  return (
    <div class="narrow sign-in">
      <h1 ref={heading} tabindex={-1}>
        {isNew ? 'Create an account' : 'Sign in'}
      </h1>
      <p class="lead">
        {isNew
          ? 'An account owns planets, API keys and webhooks. The service sends no e-mails, so any address will do.'
          : 'See what was sent to your receivers, record calls in an inbox, and manage your API keys.'}
      </p>
      {notice && (
        <p class="notice good" role="status">
          {notice}
        </p>
      )}
      {isNew ? <SignUpForm onSignedIn={onSignedIn} /> : <SignInForm onSignedIn={onSignedIn} />}
      <p>
        {isNew ? 'Already have an account? ' : 'No account yet? '}
        <button type="button" class="link" onClick={() => setNew(!isNew)}>
          {isNew ? 'Sign in' : 'Create one'}
        </button>
      </p>
    </div>
  )
}

/** Whether the person has no account yet. A link to this page can say so, also while the page is open. */
function useIsNew() {
  const [isNew, setNew] = useState(() => location.hash === SIGN_UP_HASH)
  useLayoutEffect(() => {
    const follow = () => location.hash === SIGN_UP_HASH && setNew(true)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return [isNew, setNew] as const
}

function SignInForm({ onSignedIn }: { onSignedIn(): void }) {
  const { form } = useDraft('sign-in')
  const action = useAction()
  const submit = async (event: Event) => {
    const { email = '', password = '' } = readForm(event)
    const isDone = await action.run(async () => {
      await signIn(email, password)
      return undefined
    })
    if (isDone) onSignedIn()
  }
  return (
    <form ref={form} onSubmit={submit}>
      <EmailField />
      <PasswordField label="Password" name="password" autocomplete="current-password" />
      <button type="submit" aria-disabled={action.isBusy}>
        {action.isBusy ? 'Signing in …' : 'Sign in'}
      </button>
      <Outcome of={action} />
    </form>
  )
}

function SignUpForm({ onSignedIn }: { onSignedIn(): void }) {
  // The draft of the form to sign in, so that both show the e-mail address that was typed into one of them.
  const { form } = useDraft('sign-in')
  const action = useAction()
  const submit = async (event: Event) => {
    const { name = '', email = '', password = '' } = readForm(event)
    const isDone = await action.run(async () => {
      await signUp(email, password, name)
      return undefined
    })
    if (isDone) onSignedIn()
  }
  return (
    <form ref={form} onSubmit={submit}>
      <label for="name">Name (optional)</label>
      <input id="name" type="text" name="name" maxlength={200} autocomplete="name" aria-describedby="name-hint" />
      <p class="hint" id="name-hint">
        Everybody sees it beside your planets.
      </p>
      <EmailField />
      <PasswordField label="Password" name="password" autocomplete="new-password" hint="At least 6 characters." />
      <button type="submit" aria-disabled={action.isBusy}>
        {action.isBusy ? 'Creating it …' : 'Create the account'}
      </button>
      <Outcome of={action} />
    </form>
  )
}

function EmailField() {
  return (
    <>
      <label for="email">E-mail address</label>
      <input id="email" name="email" type="email" autocomplete="username" required />
    </>
  )
}

interface PasswordFieldProps {
  label: string
  name: string
  autocomplete: 'current-password' | 'new-password'
  hint?: string
}

export function PasswordField({ label, name, autocomplete, hint }: PasswordFieldProps) {
  const described = hint ? { 'aria-describedby': `${name}-hint` } : {}
  return (
    <>
      <label for={name}>{label}</label>
      <input id={name} name={name} type="password" autocomplete={autocomplete} required {...described} />
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </>
  )
}

interface SignInAgainProps {
  email: string
  onSignedIn(): void
  onClose(): void
  onSignOut(): void
}

/** Asks a user whose session has ended for the password. The page below keeps what the user has typed. */
export function SignInAgain({ email, onSignedIn, onClose, onSignOut }: SignInAgainProps) {
  const action = useAction()
  const submit = async (event: Event) => {
    const { password = '' } = readForm(event)
    const isDone = await action.run(async () => {
      await signIn(email, password)
      return undefined
    })
    if (isDone) onSignedIn()
  }
  return (
    <Dialog title="Sign in again" onClose={onClose}>
      <p>
        Your session as <strong>{email}</strong> has ended. What you have typed is kept.
      </p>
      <form onSubmit={submit}>
        <input type="hidden" name="email" autocomplete="username" value={email} />
        <PasswordField label="Password" name="password" autocomplete="current-password" />
        <Outcome of={action} />
        <button type="submit" aria-disabled={action.isBusy}>
          Sign in
        </button>
        <button type="button" class="secondary" onClick={onSignOut}>
          Sign out
        </button>
      </form>
    </Dialog>
  )
}
