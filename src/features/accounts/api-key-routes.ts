import { doc } from '#doc'
import { makeApiKey } from '../../auth/api-key.ts'
import { requireScope } from '../../auth/authenticate.ts'
import { requireShortChain } from '../../auth/credential-chain.ts'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { commit } from '../../changes/commit.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { ProblemError } from '../../domain/problems.ts'
import { KEY_SCOPES, type KeyScope } from '../../domain/scopes.ts'
import { entity } from '../../http/body/entity.ts'
import { invalidBody } from '../../http/body/reader.ts'
import { deleteOwn, listOwn, readOwn } from '../../http/own-routes.ts'
import { ALL_FORMATS } from '../../http/pipeline/formats.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { ApiKey, ApiKeyInput, ApiKeyPage, ApiKeyPath, CreatedApiKey } from '../../schemas/api-key.ts'
import { toDate } from '../../schemas/fields.ts'
import { PageQuery } from '../../schemas/page.ts'
import { deleteApiKey, findApiKey, insertApiKey, listApiKeys, type StoredApiKey } from '../../stores/api-keys.ts'

const PATH = '/me/api-keys'
/** Maximum number of keys of one account. */
const KEYS_MAX = 100
const NO_KEY = 'You have no API key with this id.'

const createKey = defineRoute({
  method: 'post',
  path: PATH,
  operationId: 'createApiKey',
  tag: 'Authentication',
  summary: 'Create an API key',
  description: doc(
    'Creates an API key. Send the key in the header `X-API-Key`, the query parameter `api_key` or the cookie `api_key`. The key can have any scopes that the credential of this request has. If you name no scopes, the key gets all of them. No later response contains the key, so keep it. The key stops working when it is deleted, when it expires, when the account gets a new password, or when the API key or OAuth grant that created it ends.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  body: entity(ApiKeyInput, ALL_FORMATS, { mayBeEmpty: true }),
  responses: {
    201: {
      description: doc('The new API key'),
      schema: CreatedApiKey,
      headers: ['Location'],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}${PATH}/1` },
      links: {
        GetApiKey: {
          operationId: 'getApiKey',
          description: doc('What the account knows about the key, without the key itself'),
          parameters: { keyId: '$response.body#/id' },
        },
      },
    },
  },
  problems: ['forbidden', 'conflict'],
  async handle({ body, caller }, context) {
    const { baseUrl, now } = context
    // The returned reference is ignored, because `insertApiKey` itself stores the reference to the caller's credential.
    requireShortChain(caller)
    const { key, ...columns } = await makeApiKey()
    const draft = {
      ...columns,
      name: body.name ?? null,
      scopes: allowedScopes(body, caller, baseUrl),
      expiresAt: expiryOf(body, caller, now),
      createdAt: now,
    }
    const ids = await context.takeIds({ api_keys: 1 })
    const stored = { id: ids.next('api_keys'), ...draft }
    const answer = reply(
      201,
      { ...presentApiKey({ ...stored, lastUsedAt: null }), key },
      { Location: `${baseUrl}${PATH}/${stored.id}` },
    )
    const tooMany = new ProblemError(
      'conflict',
      `An account can have at most ${KEYS_MAX} API keys. Delete one that you no longer need.`,
    )
    await commit(context, { ids, ...insertApiKey(caller, stored, KEYS_MAX, tooMany), reply: answer })
    return answer
  },
})

const listKeys = listOwn({
  path: PATH,
  operationId: 'listApiKeys',
  tag: 'Authentication',
  summary: 'Get your API keys',
  description: doc('Returns your API keys in order of id, without the keys themselves.'),
  query: PageQuery,
  page: ApiKeyPage,
  found: doc('A page of your API keys'),
  list: (query, caller, { session }) => listApiKeys(session.db, caller, query),
  present: presentApiKey,
})

const readKey = readOwn({
  path: `${PATH}/{keyId}`,
  operationId: 'getApiKey',
  tag: 'Authentication',
  summary: 'Get an API key',
  description: doc('Returns one of your API keys, without the key itself.'),
  params: ApiKeyPath,
  schema: ApiKey,
  found: doc('The API key'),
  missing: NO_KEY,
  find: ({ keyId }, caller, { session }) => findApiKey(session.db, caller, keyId),
  present: presentApiKey,
})

const deleteKey = deleteOwn({
  path: `${PATH}/{keyId}`,
  operationId: 'deleteApiKey',
  tag: 'Authentication',
  summary: 'Delete an API key',
  description: doc('Deletes one of your API keys. It stops working immediately.'),
  params: ApiKeyPath,
  done: doc('The API key was deleted'),
  missing: NO_KEY,
  remove: ({ keyId }, caller, { session }) => deleteApiKey(session, caller, keyId),
})

/**
 * The scopes of a new key. The key can have only scopes that the credential of the request has.
 *
 * @throws ProblemError 403 if the input names any other scope
 */
function allowedScopes(input: ApiKeyInput, caller: Caller, baseUrl: string): KeyScope[] {
  for (const scope of input.scopes ?? []) requireScope(caller.scopes, scope, baseUrl)
  const scopes = input.scopes ?? caller.scopes
  return KEY_SCOPES.filter((scope) => scopes.includes(scope))
}

/**
 * When a new key expires; null if never. Without a time in the input, the key expires with the credential of the
 * request.
 *
 * @throws ProblemError 400 if the time is not in the future, or later than the expiry of the credential of the request
 */
function expiryOf({ expiresAt }: ApiKeyInput, { credential: { endsAt } }: Caller, now: Date): Date | null {
  if (expiresAt === undefined) return endsAt
  const date = toDate(expiresAt)
  if (date <= now) throw invalidBody([{ pointer: '/expiresAt', detail: 'must be in the future' }])
  if (!endsAt || date <= endsAt) return date
  const detail = `must not be later than ${endsAt.toISOString()}, when the credential of this request expires`
  throw invalidBody([{ pointer: '/expiresAt', detail }])
}

/** The columns of a key from which its representation is made. */
type ShownApiKey = Pick<StoredApiKey, 'id' | 'name' | 'preview' | 'scopes' | 'createdAt' | 'expiresAt' | 'lastUsedAt'>

function presentApiKey({ id, name, preview, scopes, createdAt, expiresAt, lastUsedAt }: ShownApiKey): ApiKey {
  return {
    id,
    ...(name !== null && { name }),
    preview,
    scopes: KEY_SCOPES.filter((scope) => scopes.includes(scope)),
    createdAt: createdAt.toISOString(),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
  }
}

export const keyRoutes: readonly Route[] = [createKey, listKeys, readKey, deleteKey]
