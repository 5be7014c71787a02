import { formPolicy } from '../../design/policies.ts'
import type { RenderedPage } from '../../design/rendered-page.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import type { SignedIn } from '../../stores/sign-ins.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { Browser } from './browser.ts'
import { renderQuestionPage } from './question-page.tsx'
import { addParameters, destinationOf, policySource } from './redirect-uris.ts'
import type { SignInOccasion } from './sign-in-page.tsx'
import { mayRememberConsent } from './trust.ts'

// The pages of an authorization request. Their forms have the whole request in their URLs.

/** The sign-in of a user who continues with an authorization request. */
export function signInFor(
  { client, parameters }: AuthorizationRequest,
  { csrf }: Pick<Browser, 'csrf'>,
  { services }: RequestContext,
): SignInOccasion {
  return {
    client,
    form: { action: addParameters('/oauth/sign-in', parameters, 'query'), hidden: { csrf } },
    signUpUrl: services.config.signupOpen ? addParameters('/oauth/sign-up', parameters, 'query') : undefined,
  }
}

/** The page on which a user decides about an authorization request. */
export async function renderConsentPage(
  request: AuthorizationRequest,
  { csrf, signedIn }: { csrf: string; signedIn: SignedIn },
): Promise<RenderedPage> {
  const { client, scopes, redirectUri, parameters } = request
  const notes = (
    <>
      <p>
        The response will be sent to <code>{destinationOf(redirectUri)}</code>.
      </p>
      {mayRememberConsent(request) && <p>If you allow this, you will not be asked again until you revoke it.</p>}
    </>
  )
  const form = { action: addParameters('/oauth/consent', parameters, 'query'), hidden: { csrf } }
  return await renderQuestionPage({ client, scopes, email: signedIn.email, form, notes })
}

/**
 * The Content-Security-Policy of the sign-in page. If consent may be remembered, submitting the form can redirect to
 * the client, so the policy must allow it.
 */
export function signInPolicy(request: AuthorizationRequest): string {
  return mayRememberConsent(request) ? consentPolicy(request) : formPolicy("'self'")
}

/** The Content-Security-Policy of the page. It allows the redirect to the client after the form is submitted. */
export function consentPolicy({ redirectUri }: AuthorizationRequest): string {
  return formPolicy(`'self' ${policySource(redirectUri)}`)
}
