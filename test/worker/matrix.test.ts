import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BASIC_CHALLENGE, bodyOf, ORIGIN } from '../support/app.ts'
import {
  type Bench,
  type Carried,
  type CredentialKind,
  createBench,
  createHolder,
  emptyDatabase,
  type Holder,
  inHeader,
  KINDS,
  keyInHeader,
  keyInQuery,
  NOTHING,
  readDatabase,
  scopesWithout,
  storeKey,
  together,
} from '../support/credentials.ts'
import {
  callOperation,
  DOCUMENTED_SCHEMES,
  expectDone,
  makeTarget,
  SECURED,
  type SecuredOperation,
  type Target,
} from '../support/secured-operations.ts'

// Every operation that asks for credentials, with every kind of credential, in every state: as the OpenAPI document says
// it, which is all that a caller has.

let bench: Bench
let holder: Holder

beforeAll(async () => {
  bench = await createBench()
})

beforeEach(async () => {
  await emptyDatabase()
  holder = await createHolder(bench)
})

/** Whether an operation takes a kind of credential. A token of ours with openid is a token of OAuth too. */
function takes({ schemes }: SecuredOperation, { name, scheme }: CredentialKind): boolean {
  return schemes.includes(scheme) || (name === 'openIdConnect, own' && schemes.includes('oAuth2'))
}

/** What is refused although the scheme is taken: there is nothing that it could do. */
function isInVain({ id }: SecuredOperation, { name }: CredentialKind): boolean {
  // Who has no password cannot have a new one.
  return id === 'setPassword' && name === 'openIdConnect, foreign'
}

/** The least that suffices. */
function leastScopes({ scope }: SecuredOperation) {
  return scope === undefined ? [] : [scope]
}

/** All but what is needed; undefined where a credential of the kind always has it. */
function otherScopes({ scope }: SecuredOperation, { name, hasScopes }: CredentialKind) {
  if (!hasScopes || scope === undefined || (name === 'openIdConnect, own' && scope === 'openid')) return undefined
  return scopesWithout(scope)
}

function call(operation: SecuredOperation, carried: Carried, target: Target): Promise<Response> {
  return callOperation(bench, operation, { target, carried, holder })
}

/** Sends a request that is to be refused, and fails where it changes anything. */
async function refuse(
  operation: SecuredOperation,
  carried: Carried,
  ownerId: number,
  existing?: Target,
): Promise<Response> {
  const target = existing ?? (await makeTarget(bench, ownerId))
  const before = await readDatabase()
  const response = await call(operation, carried, target)
  expect(await readDatabase()).toEqual(before)
  return response
}

/** What a problem, or an error of OAuth, says that it is. */
async function codeOf(response: Response): Promise<string> {
  const { type, error } = await bodyOf(response)
  return type?.split('/').at(-1) ?? error
}

const METADATA = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource"`

/** Holds a 401 to what tells the caller how to go on (RFC 9110, section 11.6.1; RFC 6750, section 3). */
async function expectUnauthorized(operation: SecuredOperation, { headers }: Carried, response: Response) {
  expect(response.status).toBe(401)
  expect(['unauthorized', 'invalid_token']).toContain(await codeOf(response))
  const challenge = response.headers.get('WWW-Authenticate') ?? ''
  const basic = operation.schemes.includes('basicAuth') ? `${BASIC_CHALLENGE}, ` : ''
  expect(challenge.startsWith(`${basic}Bearer realm="Galaxy", ${METADATA}`)).toBe(true)
  expect(challenge.includes('error="invalid_token"')).toBe(headers.Authorization?.startsWith('Bearer') ?? false)
}

it('the document knows seven schemes, and all of them are tried here', () => {
  expect(DOCUMENTED_SCHEMES).toHaveLength(7)
  expect([...new Set(KINDS.map(({ scheme }) => scheme))].sort()).toEqual([...DOCUMENTED_SCHEMES].sort())
})

it('by default any of the seven suffices; what takes fewer is known', () => {
  const fewer = SECURED.filter(({ schemes }) => new Set(schemes).size < 7)
  expect(Object.fromEntries(fewer.map(({ id, schemes }) => [id, [...schemes].sort()]))).toEqual({
    getMe: ['apiKeyHeader', 'apiKeyQuery', 'basicAuth', 'bearerAuth', 'oAuth2'],
    getUserInfo: ['oAuth2'],
    postUserInfo: ['oAuth2'],
  })
})

it.each(SECURED)('$id names the scope that it needs', ({ scope }) => {
  expect(scope).toMatch(/^((read|write):(account|planets)|openid)$/)
})

describe.each(SECURED)('$method $path', (operation) => {
  if (operation.isAnonymous) {
    it('does its work for who says nothing of himself', async () => {
      const target = await makeTarget(bench, holder.account.id)
      const response = await call(operation, NOTHING, target)
      expect(response.ok).toBe(true)
      await expectDone(operation, { response, userId: undefined, target, holder, bench })
    })
  } else {
    it('refuses who says nothing of himself, and tells what there is', async () => {
      const response = await refuse(operation, NOTHING, holder.account.id)
      await expectUnauthorized(operation, NOTHING, response.clone())
      const { detail } = await bodyOf(response)
      const usages = [/POST \/auth\/token/, /Authorization: Basic/, /parameter api_key/, /X-API-Key/, /cookie api_key/]
      const names = ['bearerAuth', 'basicAuth', 'apiKeyQuery', 'apiKeyHeader', 'apiKeyCookie']
      for (const [index, usage] of usages.entries()) {
        expect(usage.test(detail)).toBe(operation.schemes.includes(names[index] ?? ''))
      }
    })
  }

  it.each(['Digest x', 'Token x', 'Negotiate', 'Bearerx y', 'Basicx y', 'x Bearer', ''])(
    'takes an Authorization of no scheme that there is for nothing: %s',
    async (text) => {
      const target = await makeTarget(bench, holder.account.id)
      const response = await call(operation, inHeader('Authorization', text), target)
      expect(response.status).toBe(operation.isAnonymous ? 201 : 401)
    },
  )

  describe.each(KINDS)('with $name', (kind) => {
    it('refuses one that is empty', async () => {
      const response = await refuse(operation, kind.empty, kind.ownerOf(holder))
      await expectUnauthorized(operation, kind.empty, response)
    })

    if (!takes(operation, kind)) {
      it('refuses it, which it does not take, though it is valid', async () => {
        const carried = await kind.make(bench, holder, leastScopes(operation))
        await expectUnauthorized(operation, carried, await refuse(operation, carried, kind.ownerOf(holder)))
      })
      return
    }

    if (isInVain(operation, kind)) {
      it('refuses it, for there is nothing that it could do', async () => {
        const carried = await kind.make(bench, holder, leastScopes(operation))
        const response = await refuse(operation, carried, kind.ownerOf(holder))
        expect([response.status, await codeOf(response)]).toEqual([403, 'forbidden'])
      })
    } else {
      it('does its work, for the user of the credential, with no more than the scope it needs', async () => {
        const userId = kind.ownerOf(holder)
        const target = await makeTarget(bench, userId)
        const before = await readDatabase()
        const carried = await kind.make(bench, holder, leastScopes(operation))
        const response = await call(operation, carried, target)
        expect(response.status, await response.clone().text()).toBeLessThan(300)
        if (operation.method !== 'GET' && operation.id !== 'postUserInfo') {
          expect(await readDatabase()).not.toEqual(before)
        }
        await expectDone(operation, { response, userId, target, holder, bench })
      })
    }

    it.each(kind.bad)('refuses one that $state', async ({ make }) => {
      const carried = await make(bench, holder, leastScopes(operation))
      await expectUnauthorized(operation, carried, await refuse(operation, carried, kind.ownerOf(holder)))
    })

    const others = otherScopes(operation, kind)
    if (others) {
      it('refuses one that has every scope but the one it needs, and names that', async () => {
        const carried = await kind.make(bench, holder, others)
        const response = await refuse(operation, carried, kind.ownerOf(holder))
        expect(response.status).toBe(403)
        expect(response.headers.get('WWW-Authenticate')).toBe(
          `Bearer realm="Galaxy", ${METADATA}, error="insufficient_scope", scope="${operation.scope}"`,
        )
        expect(['insufficient-scope', 'insufficient_scope']).toContain(await codeOf(response))
      })
    }

    if (operation.isOwned) {
      it('refuses who does not own what the path names', async () => {
        const stranger = await createHolder(bench)
        const carried = await kind.make(bench, stranger, leastScopes(operation))
        const response = await refuse(operation, carried, kind.ownerOf(holder))
        const expected = operation.path.includes('{planetId}') ? [403, 'forbidden'] : [404, 'not-found']
        expect([response.status, await codeOf(response)]).toEqual(expected)
      })
    }

    it('refuses that of a suspended account with 403, at once', async () => {
      const userId = kind.ownerOf(holder)
      const carried = await kind.make(bench, holder, leastScopes(operation))
      const target = await makeTarget(bench, userId)
      await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(userId).run()
      const response = await refuse(operation, carried, userId, target)
      expect(response.status).toBe(403)
      expect(response.headers.get('WWW-Authenticate')).toBeNull()
      expect(['account-suspended', 'access_denied']).toContain(await codeOf(response))
    })

    if (kind.name !== 'openIdConnect, foreign') {
      it('refuses one of before a new password, at once', async () => {
        const carried = await kind.make(bench, holder, leastScopes(operation))
        const { account } = holder
        const target = await makeTarget(bench, account.id)
        const change = { currentPassword: account.password, newPassword: 'another horse' }
        expect((await bench.client.sendJson('PUT', '/me/password', change, account)).status).toBe(204)
        await expectUnauthorized(operation, carried, await refuse(operation, carried, account.id, target))
      })
    }
  })

  if (['apiKeyHeader', 'apiKeyQuery'].every((scheme) => operation.schemes.includes(scheme))) {
    it('takes a key in both of the places that the document names together', async () => {
      const target = await makeTarget(bench, holder.account.id)
      const { key } = await storeKey(bench.client, holder.account.id)
      const response = await call(operation, together(keyInHeader(key), keyInQuery(key)), target)
      expect(response.ok).toBe(true)
      await expectDone(operation, { response, userId: holder.account.id, target, holder, bench })
    })
  }
})
