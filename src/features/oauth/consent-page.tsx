import { renderPage } from '../../design/page.tsx'
import { formPolicy } from '../../design/policies.ts'
import type { RenderedPage } from '../../design/rendered-page.ts'
import { SCOPES } from '../../domain/scopes.ts'
import { REFERENCE_CLIENT } from '../../stores/anonymous-rows.ts'
import type { SignedIn } from '../../stores/sign-ins.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { addParameters, destinationOf, policySource } from './redirect-uris.ts'
import { mayRememberConsent } from './trust.ts'

interface ConsentProps {
  request: AuthorizationRequest
  csrf: string
  signedIn: SignedIn
}

/** The page on which a user allows or denies what a client requests. */
export async function renderConsentPage(
  request: AuthorizationRequest,
  { csrf, signedIn }: Omit<ConsentProps, 'request'>,
): Promise<RenderedPage> {
  return await renderPage({
    title: 'Allow access to your Galaxy account?',
    description: 'An application asks for access to your account. The page says what it may do if you allow it.',
    width: 'form',
    content: <Consent request={request} csrf={csrf} signedIn={signedIn} />,
  })
}

function Consent({ request, csrf, signedIn }: ConsentProps) {
  const { scopes, redirectUri, parameters, client } = request
  const { client_uri } = client.metadata
  return (
    <>
      <h1>Allow access to your account?</h1>
      <p>
        <strong>
          <bdi>{clientName(request)}</bdi>
        </strong>{' '}
        wants permission to:
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
        You are signed in as <strong>{signedIn.email}</strong>. The response will be sent to{' '}
        <code>{destinationOf(redirectUri)}</code>.
      </p>
      {mayRememberConsent(request) && <p>If you allow this, you will not be asked again until you revoke it.</p>}
      <form method="post" action={addParameters('/oauth/consent', parameters, 'query')}>
        <input type="hidden" name="csrf" value={csrf} />
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

/** The Content-Security-Policy of the page. It allows the redirect to the client after the form is submitted. */
export function consentPolicy({ redirectUri }: AuthorizationRequest): string {
  return formPolicy(`'self' ${policySource(redirectUri)}`)
}

/** The name of the client that requests access, for a page. */
export function clientName({ client }: AuthorizationRequest): string {
  return client.metadata.client_name ?? 'An unnamed application'
}

/** Tells the user how far the name of a client can be trusted. All clients but the API reference choose their names. */
function describeTrust({ id, ownerId }: AuthorizationRequest['client']): string {
  if (id === REFERENCE_CLIENT) return 'This application is part of this service.'
  const registration =
    ownerId === null ? 'This application is not verified' : 'This application was registered by a user of Galaxy'
  return `${registration}. It chose its name itself.`
}
