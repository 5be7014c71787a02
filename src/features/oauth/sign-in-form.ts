import { requireActive } from '../../auth/authenticate.ts'
import { bearerChallenge } from '../../auth/challenges.ts'
import { type ProvedAccount, provePassword } from '../../auth/prove-password.ts'
import type { Reply } from '../../domain/reply.ts'
import { pageBody } from '../../http/pages.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { requireWritesLeft } from '../../http/pipeline/write-limit.ts'
import { findRefusal } from './form-refusal.ts'
import { renderSignInPage, type SignInOccasion } from './sign-in-page.tsx'

/** The problems after which the user can try again later. The form shows them, and keeps the e-mail address. */
const SHOWN_IN_FORM = ['too-many-requests', 'service-unavailable'] as const

/** How the event `login.attempt` describes a sign-in with this page. */
const BY_PAGE = { method: 'oauth', tokenType: 'OAuth' } as const

/**
 * Answers the form of the sign-in page. If the user cannot sign in, the page is shown again.
 *
 * @param policy The Content-Security-Policy of the page
 * @param proceed What follows if the password is right
 */
export async function answerSignIn<Next extends Reply>(
  { email = '', password = '' }: { email?: string | undefined; password?: string | undefined },
  occasion: SignInOccasion,
  policy: string,
  context: RequestContext,
  proceed: (account: ProvedAccount) => Promise<Next>,
) {
  const policyHeader = { 'Content-Security-Policy': policy }
  // A sign-in is stored, so it counts as a write of the account.
  const admit = (account: { id: number }) => requireWritesLeft(context.services, account)
  try {
    const { account, headers } = await provePassword({ email, password }, context, 'failures', BY_PAGE, admit)
    if (account) {
      requireActive(account)
      return await proceed(account)
    }
    const page = await renderSignInPage(occasion, { email, isWrong: true })
    const challenge = { 'WWW-Authenticate': bearerChallenge(context.baseUrl) }
    return reply(401, pageBody(page), { ...headers, ...challenge, ...policyHeader })
  } catch (error) {
    const { refusal, status } = findRefusal(error, SHOWN_IN_FORM)
    const page = await renderSignInPage(occasion, { email, refusal })
    return reply(status, pageBody(page), { ...refusal.headers, ...policyHeader })
  }
}
