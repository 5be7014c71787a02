import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import type { Reply } from '../../domain/reply.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import type { AuthorizationParameters } from '../../schemas/oauth.ts'
import { insertSignIn } from '../../stores/sign-ins.ts'
import type { StoredUser } from '../../stores/users.ts'
import { type Browser, SIGN_IN_LIFETIME_SECONDS, writeCookie } from './browser.ts'
import { addParameters } from './redirect-uris.ts'

/** The browser gets a new secret, and the old one, whose hash is `hash`, becomes invalid. */
export async function startSignIn(
  { hash }: Browser,
  { id, passwordGeneration }: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  parameters: AuthorizationParameters,
  { session, baseUrl, now }: RequestContext,
): Promise<Reply<303, undefined>> {
  const secret = makeSecret()
  const expiresAt = new Date(now.getTime() + SIGN_IN_LIFETIME_SECONDS * 1000)
  const newSignIn = { hash: await hashSecret(secret), userId: id, passwordGeneration, expiresAt }
  await insertSignIn(session, newSignIn, hash, now)
  return reply(303, undefined, { Location: continuationUrl(parameters), 'Set-Cookie': writeCookie(secret, baseUrl) })
}

/** The URL of the authorization request, without the parameters that asked for this sign-in. */
function continuationUrl({ prompt, max_age: _, ...parameters }: AuthorizationParameters): string {
  const remainingPrompts = prompt?.split(' ').filter((name) => name !== 'login' && name !== 'select_account')
  return addParameters('/oauth/authorize', { ...parameters, prompt: remainingPrompts?.join(' ') || undefined }, 'query')
}
