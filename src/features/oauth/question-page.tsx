import type { Child } from 'hono/jsx'
import { renderPage } from '../../design/page.tsx'
import type { RenderedPage } from '../../design/rendered-page.ts'
import { SCOPES, type Scope } from '../../domain/scopes.ts'
import { REFERENCE_CLIENT } from '../../stores/anonymous-rows.ts'
import type { CallingClient } from '../../stores/clients.ts'
import { HiddenFields, type PageForm } from './page-form.tsx'

/** What a client requests of a user. */
interface Question {
  client: CallingClient
  scopes: readonly Scope[]
  /** The e-mail address of the user who is signed in. */
  email: string | null
  form: PageForm
  /** What happens after the decision, or what to look at before it. */
  notes: Child
}

/** The page on which a user allows or denies what a client requests. */
export async function renderQuestionPage(question: Question): Promise<RenderedPage> {
  return await renderPage({
    title: 'Allow access to your Galaxy account?',
    description: 'An application asks for access to your account. The page says what it may do if you allow it.',
    width: 'form',
    content: <QuestionContent {...question} />,
  })
}

function QuestionContent({ client, scopes, email, form, notes }: Question) {
  const { client_uri } = client.metadata
  return (
    <>
      <h1>Allow access to your account?</h1>
      <p>
        <ClientName client={client} /> wants permission to:
      </p>
      <ul class="panel permissions">
        {scopes.map((scope) => (
          <li>
            {SCOPES[scope]} <code class="soft">{scope}</code>
          </li>
        ))}
      </ul>
      <p>
        {describeTrust(client)}
        {client_uri && (
          <>
            {' '}
            Its website: <code>{client_uri}</code>
          </>
        )}
      </p>
      <p>
        You are signed in as <strong>{email}</strong>.
      </p>
      {notes}
      <form method="post" action={form.action}>
        <HiddenFields hidden={form.hidden} />
        <button type="submit" name="decision" value="allow">
          Allow
        </button>
        <button type="submit" name="decision" value="deny" class="secondary">
          Deny
        </button>
        <button type="submit" name="decision" value="switch" class="secondary">
          Use another account
        </button>
      </form>
      <p class="hint">
        You can revoke this at any time, on the page of <a href="/account">your account</a>.
      </p>
    </>
  )
}

/** The name of a client that requests access. Its own text cannot change the direction of the text around it. */
export function ClientName({ client }: { client: CallingClient }) {
  return (
    <strong>
      <bdi>{client.metadata.client_name ?? 'An unnamed application'}</bdi>
    </strong>
  )
}

/** Tells the user how far the name of a client can be trusted. All clients but the API reference choose their names. */
function describeTrust({ id, ownerId }: CallingClient): string {
  if (id === REFERENCE_CLIENT) return 'This application is part of this service.'
  const registration =
    ownerId === null ? 'This application is not verified' : 'This application was registered by a user of Galaxy'
  return `${registration}. It chose its name itself.`
}
