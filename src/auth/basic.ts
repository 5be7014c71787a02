import { ALL_SCOPES } from '../domain/scopes.ts'
import { type AccountState, stateByEmail } from '../stores/account-states.ts'
import { decodeBasic } from './authorization-header.ts'
import { InvalidCredential } from './invalid-credential.ts'
import { type PasswordCredentials, provePassword } from './prove-password.ts'
import { type AuthContext, credentialOf, type Scheme } from './scheme.ts'

/** How long a request pauses before it checks again whether another request has finished checking the same password. */
const POLL_MS = 10

/** E-mail address and password with every call (RFC 7617), with all scopes. */
export const basic: Scheme = {
  usage: 'e-mail address and password in the header Authorization: Basic',

  locate: ({ authorization }) => credentialOf(authorization, ['basic']),

  async verify(credential, context) {
    const pair = parsePair(credential)
    return {
      query: stateByEmail(pair.email),
      async accept(account) {
        await requireProvedPassword(pair, account, context)
        // The password was right, but the account was created after `query` ran, so its state is unknown.
        if (!account) throw wrongPair()
        return { account, scopes: ALL_SCOPES, provedAt: context.now }
      },
    }
  },
}

function parsePair(credential: string): PasswordCredentials {
  const { userId: email = '', password = '' } = decodeBasic(credential) ?? {}
  // No stored password contains U+0000, because a body with it is refused (http/body/input-safety.ts). Without this
  // check, a password with U+0000 at its end could match too: PBKDF2 uses HMAC, which pads a short key with zeros.
  if (email === '' || password === '' || password.includes('\0')) throw unreadablePair()
  return { email, password }
}

function unreadablePair(): InvalidCredential {
  return new InvalidCredential(
    'The Basic credentials are malformed: send the e-mail address, a colon and the password, in UTF-8, encoded as base64.',
  )
}

function wrongPair(headers: Record<string, string> = {}): InvalidCredential {
  return new InvalidCredential('The e-mail address or the password is wrong.', headers)
}

/**
 * If another request is checking the pair, this function waits for the result.
 *
 * @throws InvalidCredential if the password is wrong; ProblemError 429 or 503, see `provePassword`
 */
async function requireProvedPassword(
  pair: PasswordCredentials,
  account: AccountState | undefined,
  context: AuthContext,
): Promise<void> {
  const { provedPasswords, now, wait } = context.services
  const fingerprint = await provedPasswords.fingerprint(pair.email, pair.password)
  const isProved = () => provedPasswords.isProved(fingerprint, account?.passwordHash ?? '', now())
  while (!isProved() && provedPasswords.isBeingProved(fingerprint, now())) await wait(POLL_MS)
  if (isProved()) return
  let provedHash: string | undefined
  provedPasswords.begin(fingerprint, now())
  try {
    const { account: provedAccount, headers } = await provePassword(pair, context, 'failures')
    if (!provedAccount) throw wrongPair(headers)
    provedHash = provedAccount.passwordHash
  } finally {
    provedPasswords.end(fingerprint, provedHash, now())
  }
}
