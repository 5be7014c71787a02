import type { TokenCall, TokenSource } from '../../auth/receiver-tokens.ts'
import type { ReceiverAuth, ReceiverScheme } from '../../schemas/receiver-auth.ts'
import type { Services } from '../../services.ts'

/** The URL and the headers of a call to a receiver, with the credential. */
export interface OutgoingCall {
  url: string
  headers: Record<string, string>
  /** The texts that the log must not contain: the credential in every encoding that the call uses. */
  secrets: readonly string[]
}

type AuthOf<Scheme extends ReceiverScheme> = Extract<ReceiverAuth, { scheme: Scheme }>

/** What the schemes with a token endpoint need to get a token. */
interface TokenAccess {
  services: Pick<Services, 'receiverTokens'>
  tokenCall: TokenCall
}

type Presenters = {
  [Scheme in ReceiverScheme]: (auth: AuthOf<Scheme>, url: string, tokenAccess: TokenAccess) => Promise<OutgoingCall>
}

/** Registry: how each scheme presents a credential to a receiver. */
const PRESENTERS: Presenters = {
  async basicAuth({ username, password }, url) {
    const encoded = new TextEncoder().encode(`${username}:${password}`).toBase64()
    return { url, headers: { Authorization: `Basic ${encoded}` }, secrets: [password, encoded] }
  },
  bearerAuth: async ({ token }, url) => ({ url, headers: bearer(token), secrets: [token] }),
  apiKeyHeader: async ({ name, key }, url) => ({ url, headers: { [name]: key }, secrets: [key] }),
  async apiKeyQuery({ name, key }, url) {
    const target = new URL(url)
    // Appended as text, so that the existing query stays exactly as it was written, in case the receiver has signed it.
    target.search += `${target.search === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(key)}`
    return { url: target.href, headers: {}, secrets: [key, encodeURIComponent(key)] }
  },
  apiKeyCookie: async ({ name, key }, url) => ({ url, headers: { Cookie: `${name}=${key}` }, secrets: [key] }),
  oAuth2: presentToken,
  openIdConnect: presentToken,
}

/**
 * Adds the credential that the receiver requires to a call.
 *
 * @throws TargetRefused, MustWait, or an Error that says why there is no token
 */
export async function presentCredential(
  auth: ReceiverAuth,
  url: string,
  tokenAccess: TokenAccess,
): Promise<OutgoingCall> {
  return await presenterOf(auth.scheme)(auth, url, tokenAccess)
}

/** The cast is needed, because TypeScript does not see that the presenter accepts the `auth` of this scheme. */
function presenterOf(scheme: ReceiverScheme) {
  return PRESENTERS[scheme] as (auth: ReceiverAuth, url: string, tokenAccess: TokenAccess) => Promise<OutgoingCall>
}

/** Where the token for a receiver comes from; undefined if its scheme uses no token endpoint. */
export function tokenSourceOf(auth: ReceiverAuth): TokenSource | undefined {
  if (auth.scheme !== 'oAuth2' && auth.scheme !== 'openIdConnect') return undefined
  const { clientId, clientSecret } = auth
  if (auth.scheme === 'openIdConnect') return { from: { issuer: auth.issuer }, clientId, clientSecret }
  return { from: { tokenUrl: auth.tokenUrl }, clientId, clientSecret, scope: auth.scope }
}

/** Presents a token that the service gets from the receiver's token endpoint. */
async function presentToken(
  auth: AuthOf<'oAuth2' | 'openIdConnect'>,
  url: string,
  { services, tokenCall }: TokenAccess,
): Promise<OutgoingCall> {
  const source = tokenSourceOf(auth)
  if (!source) throw new Error(`${auth.scheme} has no token`)
  const token = await services.receiverTokens.get(source, tokenCall)
  return { url, headers: bearer(token), secrets: [token] }
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` }
}
