import { doc } from '#doc'
import { mayCreateCredentials, requireShortChain } from '../../auth/credential-chain.ts'
import { rateLimitHeaders, registrationLimit, spendAttempt } from '../../auth/limits.ts'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import { commit } from '../../changes/commit.ts'
import { describeFault } from '../../domain/describe-fault.ts'
import { OAuthError } from '../../domain/oauth-errors.ts'
import type { Fault } from '../../domain/problems.ts'
import type { Reply } from '../../domain/reply.ts'
import { ALL_SCOPES, parseScopes } from '../../domain/scopes.ts'
import { entity } from '../../http/body/entity.ts'
import { limitFaults } from '../../http/body/input-safety.ts'
import { RATE_LIMIT_HEADERS } from '../../http/headers.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { widerNetwork } from '../../lib/client-address.ts'
import { newUuid } from '../../lib/ids.ts'
import { secondsOf } from '../../lib/time.ts'
import {
  CLIENT_AUTHENTICATION,
  ClientInput,
  type ClientMetadata,
  RESPONSE_TYPE,
  RegisteredClient,
} from '../../schemas/client.ts'
import { insertClient } from '../../stores/clients.ts'
import { canPassOn, completeMetadata } from './client-defaults.ts'
import { keepEnabledTypes } from './legacy-flows.ts'
import { findResponseParameter, isRegistrable, LOGOUT_RESPONSE_PARAMETERS } from './redirect-uris.ts'
import { OAUTH_FAILURES, OAUTH_FORBIDDEN, OAUTH_KEYED, OAUTH_LIMITED, OAUTH_UNAUTHORIZED } from './responses.ts'

/** Maximum number of clients of one user. */
const CLIENTS_MAX = 100
/** Maximum size of a client's metadata as JSON. Each member has a limit too, but ten keys together can have 160 KB. */
const METADATA_MAX_BYTES = 16 * 1024

/** The registration endpoint (RFC 7591). */
export const register = defineRoute({
  method: 'post',
  path: '/oauth/register',
  operationId: 'registerClient',
  tag: 'OAuth',
  summary: 'Register a client',
  description: doc(
    'Registers an OAuth client. Without credentials, this registers a public client that has no owner. With the credentials of a user and the scope `write:account`, it registers a client that belongs to this user. Such a client can be confidential. A confidential client can get tokens for itself (client credentials), with which it acts as its owner. The metadata can have at most 16 KiB.',
  ),
  since: '2.0.0',
  errorStyle: 'oauth',
  security: ALL_SCHEMES,
  scope: 'write:account',
  allowsAnonymous: true,
  body: entity(ClientInput, ['json'], { refuse: errorForFaults }),
  responses: {
    201: { description: doc('The new client'), schema: RegisteredClient, headers: [...RATE_LIMIT_HEADERS] },
    ...OAUTH_FAILURES,
    ...OAUTH_UNAUTHORIZED,
    ...OAUTH_FORBIDDEN,
    ...OAUTH_LIMITED,
    ...OAUTH_KEYED,
  },
  async handle({ body, caller: user }, context) {
    // The last credential of a chain cannot create a client of its user, but what nobody can create it can.
    const caller = user && mayCreateCredentials(user) ? user : undefined
    const metadata = completeMetadata(body, caller)
    for (const check of METADATA_RULES) check(metadata, caller, context)
    const { services, session, clientAddress, now } = context
    const limit = registrationLimit(services.config, clientAddress)
    // The number of clients of a user is limited, so only registrations without credentials are counted by address.
    const headers = caller ? {} : rateLimitHeaders(await spendAttempt(session, limit, now))
    return await storeClient(metadata, caller, context, (client) => reply(201, client, headers))
  },
})

type MetadataRule = (metadata: ClientMetadata, caller: Caller | undefined, context: RequestContext) => void

/** Registry: rules for the metadata of a client. Each check throws an OAuthError if its rule is broken. */
const METADATA_RULES: readonly MetadataRule[] = [
  function confidentialOnlyWithOwner({ token_endpoint_auth_method: method }, caller) {
    if (caller || CLIENT_AUTHENTICATION[method].isPublic) return
    throw invalidMetadata(
      `A client with the authentication method ${method} must have an owner. Send a credential of a user that has the scope write:account, or register the client with the authentication method none.`,
    )
  },
  function clientCredentialsOnlyForConfidential({ grant_types, token_endpoint_auth_method: method }) {
    if (!grant_types.includes('client_credentials') || !CLIENT_AUTHENTICATION[method].isPublic) return
    throw invalidMetadata('The grant type client_credentials requires a confidential client.')
  },
  function enabledTypesOnly({ grant_types, response_types }, _, { services }) {
    const types = [...grant_types, ...response_types]
    const enabledTypes = keepEnabledTypes(types, services.config.legacyFlows)
    const disabledType = types.find((type) => !enabledTypes.includes(type))
    if (disabledType === 'token') {
      throw invalidMetadata(
        'The response type token is disabled in this deployment. The grant type implicit supports id_token only.',
      )
    }
    if (disabledType) throw invalidMetadata(`The grant type ${disabledType} is disabled in this deployment.`)
  },
  function responseTypesFitGrantTypes({ grant_types, response_types }) {
    const requiredGrantTypes = response_types.map((type) => RESPONSE_TYPE[type].grantType)
    const hasRequiredGrantTypes = requiredGrantTypes.every((type) => grant_types.includes(type))
    // Only these grant types use the authorization endpoint. All others need no response type.
    const browserGrantTypes = (['authorization_code', 'implicit'] as const).filter((type) => grant_types.includes(type))
    const hasResponseTypes = browserGrantTypes.every((type) => requiredGrantTypes.includes(type))
    if (hasRequiredGrantTypes && hasResponseTypes) return
    throw invalidMetadata(
      'response_types must match grant_types: code requires authorization_code; id_token and token require implicit.',
    )
  },
  function redirectUrisForResponses({ response_types, redirect_uris }) {
    if (response_types.length === 0 || redirect_uris.length > 0) return
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris must have at least one URI.')
  },
  function usableRedirectUris({ redirect_uris }) {
    for (const uri of redirect_uris) requireRegistrable(uri)
  },
  function usableLogoutUris({ post_logout_redirect_uris }) {
    for (const uri of post_logout_redirect_uris) requireRegistrable(uri, LOGOUT_RESPONSE_PARAMETERS)
  },
  function keysOnlyForAssertions({ token_endpoint_auth_method: method, jwks }) {
    if (method === 'private_key_jwt' && !jwks?.keys.length)
      throw invalidMetadata('private_key_jwt requires public keys in jwks.')
    if (method !== 'private_key_jwt' && jwks)
      throw invalidMetadata(`jwks is only allowed with private_key_jwt, but this client uses ${method}.`)
  },
  function notTooLarge(metadata) {
    const bytes = new TextEncoder().encode(JSON.stringify(metadata)).byteLength
    if (bytes <= METADATA_MAX_BYTES) return
    throw invalidMetadata(
      `The metadata of a client can have at most ${METADATA_MAX_BYTES} bytes, but this metadata has ${bytes}.`,
    )
  },
  function knownScope({ scope }) {
    if (scope === '') throw invalidMetadata(`scope must contain at least one of these: ${ALL_SCOPES.join(' ')}.`)
  },
  function scopesOfTheCallerOnly({ grant_types, scope }, caller) {
    if (!grant_types.includes('client_credentials')) return
    const missingScopes = parseScopes(scope).filter((name) => !canPassOn(name, caller))
    if (missingScopes.length === 0) return
    throw invalidMetadata(
      `The client cannot get scopes that the credential of this request does not have: ${missingScopes.join(' ')}.`,
    )
  },
]

/** @param responseParameters The parameters of responses that go to this URI; by default those of authorization */
function requireRegistrable(uri: string, responseParameters?: Parameters<typeof findResponseParameter>[1]): void {
  if (!isRegistrable(uri)) {
    throw new OAuthError(
      'invalid_redirect_uri',
      `${uri} cannot be registered. A redirect URI must use https, http with a loopback address, or a private scheme such as com.example.app. It must not have a fragment.`,
    )
  }
  const parameter = findResponseParameter(uri, responseParameters)
  if (parameter === undefined) return
  throw new OAuthError(
    'invalid_redirect_uri',
    `${uri} cannot be registered, because its query has the parameter ${parameter}, which responses have too.`,
  )
}

function invalidMetadata(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description)
}

/** The error for a body that does not fit the schema. Its code says whether the first fault is in a redirect URI. */
function errorForFaults(faults: readonly Fault[]): OAuthError {
  const [fault] = faults
  const isRedirect = fault?.pointer.startsWith('/redirect_uris')
  const description = limitFaults(faults).map(describeFault).join(' ')
  return new OAuthError(isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata', description)
}

/** @throws OAuthError invalid_client_metadata if the user has the maximum number of clients */
async function storeClient<Answer extends Reply>(
  metadata: ClientMetadata,
  caller: Caller | undefined,
  context: RequestContext,
  answer: (client: RegisteredClient) => Answer,
): Promise<Answer> {
  const { clientAddress, now } = context
  const id = newUuid('client')
  const secret = metadata.token_endpoint_auth_method.startsWith('client_secret') ? makeSecret() : undefined
  const secretHash = secret === undefined ? null : await hashSecret(secret)
  const expiresAt = caller?.credential.endsAt ?? null
  // The number of clients without an owner is limited for each network (stores/anonymous-rows.ts).
  const network = caller ? null : widerNetwork(clientAddress)
  const client = { id, ...ownershipOf(caller), network, expiresAt, secretHash, metadata }
  const registrationReply = answer({
    ...metadata,
    client_id: id,
    client_id_issued_at: secondsOf(now),
    ...(secret !== undefined && {
      client_secret: secret,
      // 0 means that the secret does not expire (RFC 7591, section 3.2.1).
      client_secret_expires_at: expiresAt === null ? 0 : secondsOf(expiresAt),
    }),
  })
  const tooMany = invalidMetadata(`A user can have at most ${CLIENTS_MAX} clients. Delete one that you no longer need.`)
  const insertion = insertClient(client, CLIENTS_MAX, now, tooMany)
  await commit(context, { ...insertion, reply: registrationReply })
  return registrationReply
}

/** The owner of the client, and the credential that registered it. The client ends together with this credential. */
function ownershipOf(caller: Caller | undefined) {
  if (!caller) return { ownerId: null, passwordGeneration: null, madeByKey: null, madeByGrant: null, depth: 0 }
  return { ownerId: caller.id, passwordGeneration: caller.passwordGeneration, ...requireShortChain(caller) }
}
