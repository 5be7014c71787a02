import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { insertSignIn } from '../../stores/sign-ins.ts'
import type { StoredUser } from '../../stores/users.ts'
import { type Browser, makeCsrfToken, SIGN_IN_LIFETIME_SECONDS, writeCookie } from './browser.ts'

/**
 * The browser gets a new secret, and the old one, whose hash is `hash`, becomes invalid.
 *
 * @returns What the next page and its form need
 */
export async function startSignIn(
  { hash }: Browser,
  { id, passwordGeneration }: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  { session, baseUrl, now }: RequestContext,
): Promise<Pick<Browser, 'csrf' | 'headers'>> {
  const secret = makeSecret()
  const expiresAt = new Date(now.getTime() + SIGN_IN_LIFETIME_SECONDS * 1000)
  const newSignIn = { hash: await hashSecret(secret), userId: id, passwordGeneration, expiresAt }
  await insertSignIn(session, newSignIn, hash, now)
  return { csrf: await makeCsrfToken(secret), headers: { 'Set-Cookie': writeCookie(secret, baseUrl) } }
}
