import { decodeBasic, readBasicHeader } from '../../auth/authorization-header.ts'
import { basicChallenge, bearerChallenge } from '../../auth/challenges.ts'
import { verifyClientAssertion } from '../../auth/client-assertion.ts'
import { InvalidCredential } from '../../auth/invalid-credential.ts'
import { hashSecret } from '../../auth/secrets.ts'
import { peekJwt } from '../../auth/tokens.ts'
import { OAuthError } from '../../domain/oauth-errors.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { requireWritesLeft } from '../../http/pipeline/write-limit.ts'
import { CLIENT_AUTHENTICATION, type ClientAuthentication } from '../../schemas/client.ts'
import { CLIENT_ASSERTION_TYPE, type ClientCredentials } from '../../schemas/oauth.ts'
import type { CallingClient } from '../../stores/clients.ts'
import { spendAssertion } from '../../stores/grants.ts'
import { findClient, requireOwnResources } from './client.ts'
import { invalidGrant } from './redeem.ts'

/** The credentials that a client sent. */
interface Proof {
  method: ClientAuthentication
  clientId: string | undefined
  /** The secret or the assertion; empty for the method `none`. */
  evidence: string
}

/**
 * Authenticates the calling client (RFC 6749, section 2.3) with the method that it registered.
 *
 * @throws OAuthError invalid_client if the credentials are not valid, with a Basic challenge if the client used Basic;
 * invalid_request if there are no credentials, or more than one kind
 */
export async function authenticateClient(request: ClientCredentials, context: RequestContext): Promise<CallingClient> {
  const [proof, secondProof] = findProofs(request, context.headers)
  if (!proof) throw new OAuthError('invalid_request', 'The client is not identified: client_id is missing.')
  if (secondProof)
    throw new OAuthError('invalid_request', 'The request uses more than one client authentication method.')
  if (proof.clientId === undefined) {
    const fault =
      proof.method === 'private_key_jwt'
        ? 'client_assertion must be a JWT with the id of the client in its claim sub.'
        : 'The parameter client_id is missing.'
    throw refuseClient(fault, proof.method, context.baseUrl)
  }
  if (request.client_id !== undefined && request.client_id !== proof.clientId) {
    throw new OAuthError('invalid_request', 'client_id does not match the client credentials.')
  }
  try {
    const client = await findClient(proof.clientId, context)
    await requireProof(client, proof, context)
    return client
  } catch (error) {
    if (!(error instanceof OAuthError) || error.code !== 'invalid_client') throw error
    throw refuseClient(error.message, proof.method, context.baseUrl)
  }
}

/**
 * Like `authenticateClient`, for a client that wants tokens for this service.
 *
 * @throws OAuthError invalid_client, invalid_request, invalid_target; invalid_grant if its owner is suspended
 */
export async function authenticateForTokens(
  request: ClientCredentials & { resource?: string | undefined },
  context: RequestContext,
): Promise<CallingClient> {
  const client = await authenticateClient(request, context)
  if (client.owner?.suspendedAt) throw invalidGrant('The account of the owner of this client is suspended.')
  requireOwnResources(request.resource?.split(' ') ?? [], context.baseUrl)
  return client
}

/**
 * Like `authenticateClient`, but rejects public clients, because anyone who knows the id of such a client can use it.
 *
 * @throws OAuthError invalid_client, invalid_request
 */
export async function authenticateConfidentialClient(
  request: ClientCredentials,
  context: RequestContext,
): Promise<CallingClient> {
  const client = await authenticateClient(request, context)
  if (!CLIENT_AUTHENTICATION[client.metadata.token_endpoint_auth_method].isPublic) return client
  throw refuseClient('Public clients cannot use this endpoint.', 'none', context.baseUrl)
}

/** The error for a rejected client, with a challenge for the method that the client used. */
export function refuseClient(description: string, method: ClientAuthentication, baseUrl: string): OAuthError {
  const challenge = method === 'client_secret_basic' ? basicChallenge() : bearerChallenge(baseUrl)
  return new OAuthError('invalid_client', description, { 'WWW-Authenticate': challenge })
}

/** All credentials in a request. If a request has only a client_id, its client is public. */
function findProofs(request: ClientCredentials, headers: Headers): Proof[] {
  const proofs: Proof[] = []
  const basic = readBasicHeader(headers)
  if (basic !== undefined) proofs.push(readClientBasic(basic))
  if (request.client_assertion !== undefined || request.client_assertion_type !== undefined) {
    proofs.push(readAssertion(request))
  }
  if (request.client_secret !== undefined) {
    proofs.push({ method: 'client_secret_post', clientId: request.client_id, evidence: request.client_secret })
  }
  if (proofs.length === 0 && request.client_id !== undefined) {
    proofs.push({ method: 'none', clientId: request.client_id, evidence: '' })
  }
  return proofs
}

/**
 * Clients form-encode the id and the secret before they join them (RFC 6749, section 2.3.1).
 *
 * @throws OAuthError invalid_request
 */
function readClientBasic(credential: string): Proof {
  const pair = decodeBasic(credential)
  try {
    if (pair) {
      const [clientId, evidence] = [decodeFormText(pair.userId), decodeFormText(pair.password)]
      return { method: 'client_secret_basic', clientId, evidence }
    }
  } catch {
    // The id or the secret is not form-encoded.
  }
  throw new OAuthError('invalid_request', 'The Basic credentials in the header Authorization are malformed.')
}

/** Decodes a text in the encoding of HTML forms. @throws URIError if it is not encoded in this way */
function decodeFormText(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** Reads a signed assertion. Its signature is not verified yet. @throws OAuthError invalid_request */
function readAssertion({ client_assertion = '', client_assertion_type, client_id }: ClientCredentials): Proof {
  if (client_assertion_type !== CLIENT_ASSERTION_TYPE) {
    throw new OAuthError('invalid_request', `client_assertion_type must be ${CLIENT_ASSERTION_TYPE}.`)
  }
  return {
    method: 'private_key_jwt',
    clientId: peekJwt(client_assertion).subject ?? client_id,
    evidence: client_assertion,
  }
}

/** Checks the method and the evidence of a client. @throws OAuthError invalid_client */
async function requireProof(
  client: CallingClient,
  { method, evidence }: Proof,
  context: RequestContext,
): Promise<void> {
  const { token_endpoint_auth_method: registered } = client.metadata
  // A client with a secret may send it with either method, because libraries differ in the method that they use.
  const isAllowed = method === registered || (sendsSecret(method) && sendsSecret(registered))
  if (!isAllowed) {
    throw new OAuthError(
      'invalid_client',
      `The client is registered for the authentication method ${registered}, but used ${method}.`,
    )
  }
  await VERIFIERS[method](client, evidence, context)
}

function sendsSecret(method: ClientAuthentication): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post'
}

/** Registry: the verifier of each method. Each throws OAuthError invalid_client if the evidence is not valid. */
const VERIFIERS: Record<
  ClientAuthentication,
  (client: CallingClient, evidence: string, context: RequestContext) => Promise<void>
> = {
  none: async () => {},
  client_secret_basic: requireSecret,
  client_secret_post: requireSecret,
  private_key_jwt: requireAssertion,
}

async function requireSecret({ secretHash }: CallingClient, secret: string): Promise<void> {
  // The time of this comparison reveals nothing useful: it compares only hashes, and nobody can guess a random secret
  // from a part of its hash.
  if ((await hashSecret(secret)) !== secretHash) throw new OAuthError('invalid_client', 'The client secret is wrong.')
}

/** Checks the signed assertion of a client, and that it was not used before. */
async function requireAssertion(
  { id, metadata, owner }: CallingClient,
  assertion: string,
  { services, baseUrl, session, now }: RequestContext,
): Promise<void> {
  const client = { id, jwks: metadata.jwks ?? { keys: [] } }
  const audiences = [baseUrl, `${baseUrl}/oauth/token`]
  try {
    const { id: jti, expiresAt } = await verifyClientAssertion(assertion, client, audiences, now)
    // A used assertion is stored until it expires, so it counts as a write.
    if (owner) await requireWritesLeft(services, owner)
    if (await spendAssertion(session, await hashSecret(`${id} ${jti}`), expiresAt)) return
  } catch (error) {
    if (!(error instanceof InvalidCredential)) throw error
    throw new OAuthError('invalid_client', `The client assertion was rejected. ${error.message}`)
  }
  throw new OAuthError('invalid_client', 'The client assertion was already used.')
}
