import { env } from 'cloudflare:workers'
import publicDocument from '@scalar/galaxy/3.1.json'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeCompletely, describeWorld } from '../../../documents/documents.ts'
import type { Document, MediaType, Operation, Schema } from '../../../documents/openapi/types.ts'
import { COMMON_ROUTES, DOCUMENTED_ROUTES, UNIVERSE_ROUTES } from '../../../src/app.ts'
import { atOrigin, EXAMPLE_ORIGIN } from '../../../src/domain/example-origin.ts'
import { EXAMPLE_UNIVERSE_ID } from '../../../src/domain/example-universe.ts'
import { PROBLEMS, type ProblemCode } from '../../../src/domain/problems.ts'
import type { World } from '../../../src/domain/universe.ts'
import { API_VERSIONS } from '../../../src/http/api-versions.ts'
import { FORM_TYPE } from '../../../src/http/body/form.ts'
import type { Route } from '../../../src/http/pipeline/route.ts'
import { isRead, usualStatusOf } from '../../../src/http/pipeline/route-facts.ts'
import { CALLBACK_EVENTS, SUBSCRIPTION_EVENTS } from '../../../src/schemas/events.ts'
import { AuthorizationParameters } from '../../../src/schemas/oauth.ts'
import { Problem } from '../../../src/schemas/problem.ts'
import { encodeXml } from '../../../src/xml/encode.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  ORIGIN,
} from '../../support/app.ts'
import { dereferenced } from '../../support/dereferenced.ts'
import { eachRow } from '../../support/each-row.ts'
import { FakeUniverse } from '../../support/fake-universe.ts'
import { fillPath, makeGoodRequest, sendGood } from '../../support/good-requests.ts'
import { makePicture } from '../../support/pictures.ts'
import { createOwner } from '../../support/universe-owner.ts'

const DOCUMENT = dereferenced(describeCompletely('common', '2.0.0'))
const named = (route: Route) => ({ name: `${route.method.toUpperCase()} ${route.path}`, route })
const UNIVERSE_DOCUMENT = dereferenced(describeCompletely('universe', '2.0.0'))
const OPERATIONS = COMMON_ROUTES.map(named)
const operationIds = new Set(COMMON_ROUTES.map(({ operationId }) => operationId))
/** With those that only universes have. */
const DOCUMENTED = DOCUMENTED_ROUTES.common.map(named)

/** Every example of a request body. */
const SENT = OPERATIONS.flatMap(({ name, route }) =>
  examplesIn(operationOf(DOCUMENT, route).requestBody?.content).map((example) => ({ name, route, ...example })),
)

/** Every example of a request body that only universes take. */
const SENT_TO_UNIVERSES = UNIVERSE_ROUTES.filter((route) => !operationIds.has(route.operationId))
  .map(named)
  .flatMap(({ name, route }) =>
    examplesIn(operationOf(UNIVERSE_DOCUMENT, route).requestBody?.content).map((example) => ({
      name,
      route,
      ...example,
    })),
  )

const WORLDS: readonly World[] = ['common', 'universe']
const EDITIONS = WORLDS.flatMap((world) => API_VERSIONS.map((apiVersion) => ({ world, apiVersion })))

/** Every example of a response body, except problems; errors of OAuth are not problems. */
const ANSWERED = DOCUMENTED.flatMap(({ name, route }) =>
  Object.entries(operationOf(DOCUMENT, route).responses).flatMap(([status, response]) =>
    status in route.responses && 'content' in response
      ? examplesIn(response.content).map((example) => ({ name, route, status: Number(status), ...example }))
      : [],
  ),
)

/** Query parameters whose examples cannot be sent as they are, and why. */
const WITHOUT_EXAMPLE: Readonly<Record<string, string>> = {
  id_token_hint: 'only this service can have made it',
  post_logout_redirect_uri: 'the client whose id is the example has registered none',
  cursor: 'it depends on what came before',
  request: 'it is not taken',
  request_uri: 'it is not taken',
}

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient({ config: { signupsPerHour: 1000, passwordAttempts: 1000 } })
  account = await createAccount(client)
})

describe('every example of a body can be sent as it is', () => {
  it('in every format', () =>
    eachRow(
      SENT,
      async ({ route, mediaType, value }) => {
        const { path, sender } = await prepare(route, value)
        const schema = route.body?.kind === 'entity' ? route.body.documented.schema : undefined
        const body = mediaType === 'application/xml' && schema ? encodeXml(value, schema) : JSON.stringify(value)
        const response = await client.send(path, {
          method: route.method.toUpperCase(),
          body,
          headers: { 'Content-Type': mediaType, ...(route.security.length > 0 && authorization(sender)) },
        })
        expect(response.status).toBeGreaterThanOrEqual(200)
        expect(response.status).toBeLessThan(300)
        if (route.path.startsWith('/planets') && route.body?.kind === 'entity' && !isRead(route.method))
          expect(await bodyOf(response)).toMatchObject({ ...Object(value) })
      },
      ({ name, mediaType, example }) => `${name}: ${example} in ${mediaType}`,
    ))

  // A form has only a schema.
  it('every operation with a body has one, in every format that it accepts except forms', () => {
    for (const { name, route } of OPERATIONS.filter(
      ({ route: { body } }) => body?.kind === 'entity' || body?.kind === 'patch',
    )) {
      const types = SENT.filter((example) => example.name === name).map(({ mediaType }) => mediaType)
      const accepted = Object.keys(operationOf(DOCUMENT, route).requestBody?.content ?? {})
      expect([...new Set(types)].sort()).toEqual(accepted.filter((mediaType) => mediaType !== FORM_TYPE).sort())
    }
  })

  it('no published document has others', () =>
    eachRow(EDITIONS, ({ world, apiVersion }) => {
      const known = [...SENT, ...SENT_TO_UNIVERSES].map(({ name, mediaType, value }) => ({ name, mediaType, value }))
      const { paths } = dereferenced(describeWorld(world, apiVersion))
      const published = Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).flatMap(([method, { requestBody }]) =>
          examplesIn(requestBody?.content).map(({ mediaType, value }) => ({
            name: `${method.toUpperCase()} ${path}`,
            mediaType,
            value,
          })),
        ),
      )
      expect(published.length).toBeGreaterThan(5)
      for (const example of published) expect(known).toContainEqual(example)
    }))

  // A served document has a later time in place of one that must lie ahead.
  const onDays = ['2026-01-20T14:30:01Z', '2027-12-31T23:59:59Z', '2028-02-29T00:00:00Z'].flatMap((day) =>
    SENT_TO_UNIVERSES.map(({ name, route, mediaType }) => ({ day, name, route, mediaType })),
  )
  it('also one of a document that a universe served, on any day', () =>
    eachRow(
      onDays,
      async (sent) => {
        const { day, route, mediaType } = sent
        let time = new Date(day)
        const universe = new FakeUniverse(EXAMPLE_UNIVERSE_ID, time)
        const inUniverse = createClient({ world: 'universe', universe, now: () => time })
        const document: Document = dereferenced(await bodyOf(await inUniverse.get('/openapi.json')))
        const { requestBody } = operationOf(document, route)
        // Someone reads the document, and sends the example half a day later.
        time = new Date(time.getTime() + 12 * 3_600_000 - 1000)
        const owner = await createOwner(inUniverse)
        for (const { value } of examplesIn({ [mediaType]: requestBody?.content[mediaType] ?? { schema: {} } })) {
          const schema = route.body?.kind === 'entity' ? route.body.documented.schema : undefined
          const response = await inUniverse.send(route.path, {
            method: route.method.toUpperCase(),
            body: mediaType === 'application/xml' && schema ? encodeXml(value, schema) : JSON.stringify(value),
            headers: { 'Content-Type': mediaType, ...authorization(owner) },
          })
          expect(response.status).toBe(usualStatusOf(route))
        }
      },
      ({ day, name, mediaType }) => `${name} in ${mediaType}, on ${day}`,
    ))

  const inForms = OPERATIONS.filter(({ route }) => route.body?.kind === 'form')
  it('a form has the fields that the document names, each described', () =>
    eachRow(
      inForms,
      async ({ route }) => {
        const { content = {}, required } = operationOf(DOCUMENT, route).requestBody ?? {}
        expect([Object.keys(content), required]).toEqual([['application/x-www-form-urlencoded'], true])
        const [media] = Object.values(content)
        const fields: Record<string, Schema> = Object(resolved(DOCUMENT, media?.schema).properties)
        for (const { type, description } of Object.values(fields)) {
          expect([type, description]).toEqual(['string', expect.stringMatching(/^\S.*\S$/s)])
        }
        const request = await makeGoodRequest(client, route, account)
        const sent = [...new URLSearchParams(String(request.body)).keys()]
        expect(sent).not.toEqual([])
        expect(Object.keys(fields)).toEqual(expect.arrayContaining(sent))
        expect((await sendGood(client, request)).status).toBe(request.status)
      },
      ({ name }) => name,
    ))

  it('a body that the document calls optional can be omitted', async () => {
    const optional = OPERATIONS.filter(({ route }) => operationOf(DOCUMENT, route).requestBody?.required === false)
    expect(optional.map(({ name }) => name)).toEqual([
      'DELETE /me',
      'POST /me/api-keys',
      'POST /webhooks/{webhookId}/tests',
      'POST /webhooks/{webhookId}/checks',
      'POST /inboxes',
      'POST /universes',
    ])
    for (const { route } of optional) {
      const request = await makeGoodRequest(client, route, await createAccount(client))
      const response = await sendGood(client, { ...request, body: undefined }, { 'Content-Type': undefined })
      expect(response.status).toBe(request.status)
    }
  })

  it('the examples of an authorization request open the sign-in page', async () => {
    const names = Object.keys(AuthorizationParameters.shape)
    const inQueries = Object.values(DOCUMENT.components.parameters).filter((parameter) => parameter.in === 'query')
    const examples = names.flatMap((name) => {
      const found = inQueries.find((parameter) => parameter.name === name)?.schema?.examples
      return Array.isArray(found) ? [[name, atOrigin(String(found[0]), ORIGIN)]] : []
    })
    const response = await client.get(`/oauth/authorize?${new URLSearchParams(examples)}`)
    expect(response.status).toBe(200)
    const page = await response.text()
    expect(page).toContain('<h1>Sign in to Galaxy</h1>')
    expect(page).toContain('Galaxy API reference')
  })

  it('an upload has the part that the document names', async () => {
    const route = routeOf('uploadImage')
    const [schema] = Object.values(operationOf(DOCUMENT, route).requestBody?.content ?? {}).map((media) => media.schema)
    const parts = Object.keys(Object(resolved(DOCUMENT, schema).properties))
    expect(parts).toHaveLength(1)
    const form = new FormData()
    for (const part of parts) form.set(part, new File([makePicture()], 'a.png'))
    const { path } = await prepare(route, undefined)
    const response = await client.send(path, { method: 'POST', body: form, headers: authorization(account) })
    expect(response.status).toBe(200)
  })
})

describe('every example of a response could be sent', () => {
  it('as its schema says, without a change', () =>
    eachRow(
      ANSWERED,
      ({ route, status, value }) => {
        const result = route.responses[status]?.schema?.safeParse(value)
        expect(result?.error).toBeUndefined()
        expect(result?.data).toEqual(value)
      },
      ({ name, status, mediaType, example }) => `${name}, ${status}: ${example} in ${mediaType}`,
    ))

  it('every response that is a document has one, in every format', () => {
    for (const { name, route } of DOCUMENTED) {
      for (const [status, { schema }] of Object.entries(route.responses)) {
        const own = ANSWERED.filter((example) => example.name === name && String(example.status) === status)
        const types = [...new Set(own.map(({ mediaType }) => mediaType))]
        expect([name, status, types.sort()]).toEqual([name, status, schema ? mediaTypesOf(route) : []])
      }
    }
  })

  // The problems have summaries; the other examples belong to schemas.
  const problems = Object.entries(DOCUMENT.components.examples).flatMap(([name, { summary, value }]) =>
    summary === undefined ? [] : [[name.replace('problem_', '').replaceAll('_', '-'), { value }] as const],
  )

  it('also that of every problem', () =>
    eachRow(problems, ([code, { value }]) => {
      const { type, status, title } = Problem.parse(value)
      expect(Problem.parse(value)).toEqual(value)
      expect(type).toBe(`${EXAMPLE_ORIGIN}/problems/${code}`)
      expect({ status, title }).toMatchObject(pick(PROBLEMS[codeOf(code)]))
    }))

  it('every problem that an operation can return has one', () => {
    const used = problems.map(([code]) => code)
    // The paths of sockets are not in this document.
    const never: ProblemCode[] = ['method-not-allowed', 'upgrade-required', 'injected']
    expect(used.sort()).toEqual(
      Object.keys(PROBLEMS)
        .filter((code) => !never.includes(codeOf(code)))
        .sort(),
    )
  })

  const NAMES: Readonly<Record<string, string>> = { ping: 'subscriptionPing' }
  const calls = Object.entries({ ...CALLBACK_EVENTS, ...SUBSCRIPTION_EVENTS }).map(([name, { payload }]) => ({
    name,
    payload,
  }))

  it('also that of every call', () =>
    eachRow(
      calls,
      ({ name, payload }) => {
        const examples = callsOf(DOCUMENT)
          .filter(({ operationId }) => operationId === (NAMES[name] ?? name))
          .flatMap(({ requestBody }) => examplesIn(requestBody?.content))
        expect(examples).not.toEqual([])
        for (const { value } of examples) expect(payload.parse(value)).toEqual(value)
      },
      ({ name }) => name,
    ))
})

describe.each(API_VERSIONS)('API version %s', (apiVersion) => {
  const document = describeWorld('common', apiVersion)
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))

  it('has a summary, a description and a tag for each operation', () =>
    eachRow(
      operations,
      ({ summary, description, tags }) => {
        expect(summary).toMatch(/^[A-Z].*[^.\s]$/)
        expect(summary.length).toBeLessThanOrEqual(60)
        expect(description).toMatch(/^[A-Z`].*\.$/s)
        expect(tags).toHaveLength(1)
        expect(document.tags.map(({ name }) => name)).toContain(tags[0])
      },
      ({ operationId }) => operationId,
    ))

  it('has an id for each operation, callback and webhook', () => {
    const ids = [...operations, ...callsOf(document)].map(({ operationId }) => operationId)
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('describes every parameter', () => {
    for (const { name, description, schema } of Object.values(document.components.parameters)) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^\S.*\S$/s)])
      const { type } = resolved(document, schema)
      expect([name, type]).toEqual([name, expect.stringMatching(/^(?:string|integer|number|array)$/)])
    }
  })

  // The service sends these calls itself, and no importer does.
  const headers = Object.entries(document.components.parameters)
    .filter(([key, parameter]) => parameter.in === 'header' && !key.startsWith('call'))
    .map(([, parameter]) => parameter)

  // Importers copy examples into every request, and these headers change the response.
  it('has no example of any header', () =>
    eachRow(
      headers,
      (header) => {
        expect(header).not.toHaveProperty('example')
        expect(header).not.toHaveProperty('examples')
        expect(header.schema).not.toHaveProperty('example')
        expect(header.schema).not.toHaveProperty('examples')
      },
      ({ name }) => name,
    ))

  it('has an example of every path parameter, on the parameter and in its schema', () => {
    const ofPaths = Object.values(document.components.parameters).filter((parameter) => parameter.in === 'path')
    expect(ofPaths).not.toEqual([])
    for (const { name, example, schema } of ofPaths) {
      expect([name, [example]]).toEqual([name, Array.isArray(schema?.examples) ? schema.examples.slice(0, 1) : []])
    }
  })

  it('names a contact, and where tokens are refreshed', () => {
    expect(document.info.contact).toEqual({ name: 'Galaxy', url: EXAMPLE_ORIGIN })
    const { flows } = Object(document.components.securitySchemes.oAuth2)
    expect(flows.authorizationCode.refreshUrl).toBe(`${EXAMPLE_ORIGIN}/oauth/token`)
    expect(flows.password.refreshUrl).toBe(`${EXAMPLE_ORIGIN}/oauth/token`)
  })

  it('declares additional members only once, and lists null among the values of nullable enums', () => {
    const schemas = [...JSON.stringify(document).matchAll(/"patternProperties"/g)]
    expect(schemas).toEqual([])
    JSON.stringify(document, (_, node) => {
      const isNullableEnum = Array.isArray(node?.enum) && Array.isArray(node.type) && node.type.includes('null')
      if (isNullableEnum) expect(node.enum).toContain(null)
      return node
    })
  })

  const parameters = Object.values(document.components.parameters).filter((parameter) => parameter.in !== 'header')

  it('has an example of every parameter, or its default', () =>
    eachRow(
      parameters.filter(({ name }) => !(name in WITHOUT_EXAMPLE)),
      ({ schema }) => {
        expect(schema?.examples ?? schema?.default).toBeDefined()
      },
    ))

  it('has no example of a parameter that would be rejected as it is', () => {
    const refused = parameters.filter(({ name }) => name in WITHOUT_EXAMPLE)
    expect(refused.filter(({ schema }) => schema?.examples ?? schema?.default)).toEqual([])
  })

  it('says what the limit and the offset are by default', () =>
    eachRow(
      [
        ['limit', 10],
        ['offset', 0],
      ],
      ([name, value]) => {
        expect(document.components.parameters[name]?.schema?.default).toBe(value)
      },
    ))

  it('has headers whose examples match their types', () => {
    for (const [name, header] of Object.entries(document.components.headers)) {
      const { type, examples } = header.schema as Schema
      const types = (examples as unknown[]).map((example) => (typeof example === 'number' ? 'integer' : typeof example))
      expect([name, ...types]).toEqual([name, type])
    }
  })
})

describe('the names of the public document are kept', () => {
  const operations = Object.entries(publicDocument.paths).flatMap(([path, item]) =>
    Object.entries<unknown>(item).flatMap(([method, operation]) => {
      const operationId = Object(operation).operationId
      return typeof operationId === 'string' ? [{ path, method, operationId }] : []
    }),
  )
  // Not implemented yet.
  const existing = operations.filter(({ path }) => path !== '/celestial-bodies')

  it('of every operation', () =>
    eachRow(existing, ({ path, method, operationId }) => {
      expect(DOCUMENT.paths[path]?.[method]?.operationId).toBe(operationId)
    }))

  it('of its webhooks too', () => {
    expect(Object.keys(DOCUMENT.webhooks)).toEqual(expect.arrayContaining(Object.keys(publicDocument.webhooks)))
  })

  it('and of the callbacks of each operation', () => {
    const callbacksOf = (document: object) =>
      Object.keys(Object(Object(Object(Object(document).paths)['/planets']).post).callbacks)
    expect(callbacksOf(DOCUMENT).sort()).toEqual(callbacksOf(publicDocument).sort())
  })
})

/** A schema, or the component that it refers to. */
function resolved({ components }: Document, schema: Schema = {}): Schema {
  return typeof schema.$ref === 'string'
    ? (components.schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {})
    : schema
}

interface NamedExample {
  mediaType: string
  example: string
  value: unknown
}

function examplesIn(content: Record<string, MediaType> = {}): NamedExample[] {
  return Object.entries(content).flatMap(([mediaType, { examples }]) =>
    Object.entries(examples ?? {}).flatMap(([name, example]) =>
      'value' in example ? [{ mediaType, example: name, value: example.value }] : [],
    ),
  )
}

function operationOf({ paths }: Document, { path, method }: Route): Operation {
  const operation = paths[path]?.[method]
  if (!operation) throw new Error(`${method} ${path} is not documented`)
  return operation
}

function routeOf(operationId: string): Route {
  const route = COMMON_ROUTES.find((candidate) => candidate.operationId === operationId)
  if (!route) throw new Error(`there is no operation ${operationId}`)
  return route
}

/** The calls that the service makes, as operations. */
function callsOf({ paths, webhooks }: Document): Operation[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const callbacks = operations.flatMap((operation) => Object.values(operation.callbacks ?? {}))
  const items = [...callbacks.flatMap((callback) => Object.values(callback)), ...Object.values(webhooks)]
  return items.flatMap((item) => Object.values(item))
}

function codeOf(name: string): ProblemCode {
  if (!Object.hasOwn(PROBLEMS, name)) throw new Error(`${name} is no problem`)
  return name as ProblemCode
}

function pick({ status, title }: { status: number; title: string }): { status: number; title: string } {
  return { status, title }
}

/** The formats of a route's documents: OAuth has only JSON, whatever the client accepts. */
function mediaTypesOf({ formats, errorStyle }: Route): string[] {
  const isJson = errorStyle === 'oauth' || formats?.join() === 'json'
  return isJson ? ['application/json'] : ['application/json', 'application/xml']
}

/** Creates the resource of a request. @returns Its path, and who must send it */
async function prepare(route: Route, value: unknown): Promise<{ path: string; sender: Account }> {
  const { email, currentPassword, password } = Object(value)
  if (email) await env.DB.prepare('delete from users where email = ?').bind(email).run()
  if (route.path === '/auth/token') await client.sendJson('POST', '/user/signup', value)
  // Deletes an account, or creates something that an account can have only once.
  const isOnce = route.operationId === 'deleteMe' || route.path.startsWith('/webhooks')
  const sender = currentPassword || isOnce ? await signUp(currentPassword ?? password ?? 'correct horse') : account
  return { path: await fillPath(client, route, sender), sender }
}

/** An account with this password. */
async function signUp(password: string): Promise<Account> {
  const email = `${crypto.randomUUID()}@galaxy.test`
  const { id } = await bodyOf(await client.sendJson('POST', '/user/signup', { email, password }))
  const { token } = await bodyOf(await client.sendJson('POST', '/auth/token', { email, password }))
  return { id, email, password, token }
}
