import { renderPage } from '../../design/page.tsx'
import type { RenderedPage } from '../../design/rendered-page.ts'
import { PASSWORD_MAX, PASSWORD_MIN } from '../../domain/limits.ts'
import type { ProblemError } from '../../domain/problems.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { ClientName } from './question-page.tsx'
import { addParameters } from './redirect-uris.ts'

interface SignUpFormState {
  csrf: string
  /** What the user has typed. The password is not kept. */
  email?: string | undefined
  name?: string | undefined
  refusal?: ProblemError
}

export async function renderSignUpPage(request: AuthorizationRequest, form: SignUpFormState): Promise<RenderedPage> {
  return await renderPage({
    // When a page loads, a screen reader announces the title and the focused element, but not an alert.
    title: form.refusal ? 'Not created yet: Create a Galaxy account' : 'Create a Galaxy account',
    description: 'Create an account of Galaxy, then continue to the application that you come from.',
    width: 'form',
    content: <SignUpContent request={request} form={form} />,
  })
}

function SignUpContent({ request, form }: { request: AuthorizationRequest; form: SignUpFormState }) {
  const { csrf, email, name, refusal } = form
  const { client, parameters } = request
  const faultOf = (field: string) => refusal?.faults.find(({ pointer }) => pointer === `/${field}`)?.detail
  // If no field is wrong, for example after too many attempts, the user must only type the password again.
  const focused = ['name', 'email', 'password'].find(faultOf) ?? (refusal ? 'password' : 'name')
  const commonProps = (field: string) => ({ name: field, fault: faultOf(field), isFocused: focused === field })
  return (
    <>
      <h1>Create a Galaxy account</h1>
      <p>
        to continue to <ClientName client={client} />
      </p>
      {refusal && (
        <p class="fault" role="alert">
          {describeRefusal(refusal)}
        </p>
      )}
      <form class="panel" method="post" action={addParameters('/oauth/sign-up', parameters, 'query')}>
        <input type="hidden" name="csrf" value={csrf} />
        <Field {...commonProps('name')} label="Name (optional)" type="text" autocomplete="name" value={name} />
        <Field
          {...commonProps('email')}
          label="E-mail address"
          type="email"
          autocomplete="username"
          value={email}
          isRequired
        />
        <Field
          {...commonProps('password')}
          label="Password"
          type="password"
          autocomplete="new-password"
          hint={`${PASSWORD_MIN} to ${PASSWORD_MAX} characters`}
          isRequired
        />
        <button type="submit">Create account</button>
      </form>
      <p>
        Already have an account? <a href={addParameters('/oauth/authorize', parameters, 'query')}>Sign in</a>
      </p>
    </>
  )
}

interface FieldProps {
  name: string
  label: string
  type: 'text' | 'email' | 'password'
  autocomplete: string
  value?: string | undefined
  hint?: string
  /** A predicate for the value, such as "must be an e-mail address"; undefined if it is right. */
  fault: string | undefined
  isFocused: boolean
  isRequired?: boolean
}

function Field({ name, label, type, autocomplete, value, hint, fault, isFocused, isRequired }: FieldProps) {
  const notes = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ')
  return (
    <>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        autocomplete={autocomplete}
        value={value}
        required={isRequired}
        autofocus={isFocused}
        aria-describedby={notes || undefined}
        aria-invalid={fault ? 'true' : undefined}
      />
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="field-fault" id={`${name}-fault`}>
          This {fault}.
        </p>
      )}
    </>
  )
}

function describeRefusal({ code, message }: ProblemError): string {
  return code === 'invalid-body' ? 'The account was not created. Correct the marked fields.' : message
}
