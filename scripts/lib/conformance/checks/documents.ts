import type { Members } from '../answer.ts'
import { type Check, reads, type Setting } from '../check.ts'
import { expectProblem } from '../expectations.ts'

/** The ten endpoints of the interface. Both versions have them. */
const ENDPOINTS = [
  'get /planets',
  'post /planets',
  'get /planets/{planetId}',
  'put /planets/{planetId}',
  'delete /planets/{planetId}',
  'post /planets/{planetId}/image',
  'post /celestial-bodies',
  'post /user/signup',
  'post /auth/token',
  'get /me',
]
const PUBLIC = ['get /planets', 'get /planets/{planetId}', 'post /user/signup', 'post /auth/token']
const SCHEMES = ['bearerAuth', 'basicAuth', 'apiKeyQuery', 'apiKeyHeader', 'apiKeyCookie', 'oAuth2', 'openIdConnect']
const ME_SCHEMES = ['basicAuth', 'oAuth2', 'bearerAuth', 'apiKeyHeader', 'apiKeyQuery']
const CALLBACKS = ['planetCreated', 'planetCreationFailed', 'planetExploded']

async function read({ world }: Setting, path = '/openapi.json') {
  const answer = (await world.get(path)).expectStatus(200)
  return { answer, document: answer.json() }
}

function operationOf(document: Members, endpoint: string): Members | undefined {
  const [method = '', path = ''] = endpoint.split(' ')
  return document.paths?.[path]?.[method]
}

async function checkEndpoints(setting: Setting, path: string, version: string) {
  const { answer, document } = await read(setting, path)
  const missing = ENDPOINTS.filter((endpoint) => !operationOf(document, endpoint))
  answer.expect(missing.length === 0, 'the ten endpoints', `a document without ${missing.join(', ')}`)
  answer.expect(document.info?.version === version, `version ${version}`, `version ${document.info?.version}`)
  answer.expect(document.webhooks?.newPlanet?.post, 'the webhook newPlanet', 'a document without it')
}

/**
 * The schemes that an operation accepts; none if it needs no credentials. Alternatives that require two schemes at
 * once, such as a key in the header and in the query, are left out.
 */
function schemesOf(document: Members, endpoint: string): string[] {
  const security: Members[] = operationOf(document, endpoint)?.security ?? document.security ?? []
  return [
    ...new Set(security.filter((alternative) => Object.keys(alternative).length === 1).flatMap(Object.keys)),
  ].toSorted()
}

async function checkSecurity(setting: Setting) {
  const { answer, document } = await read(setting)
  for (const endpoint of ENDPOINTS.filter((one) => !PUBLIC.includes(one))) {
    const expected = (endpoint === 'get /me' ? ME_SCHEMES : SCHEMES).toSorted().join(', ')
    const named = schemesOf(document, endpoint).join(', ')
    answer.expect(named === expected, `${endpoint} with ${expected}`, named)
  }
}

async function checkSchemes(setting: Setting) {
  const { answer, document } = await read(setting)
  const schemes = document.components?.securitySchemes ?? {}
  const missing = SCHEMES.filter((name) => !schemes[name])
  answer.expect(missing.length === 0, 'the seven schemes', `a document without ${missing.join(', ')}`)
  const scopes = schemes.oAuth2.flows?.authorizationCode?.scopes ?? {}
  answer.expect('read:account' in scopes, 'the scope read:account', Object.keys(scopes).join(', '))
}

async function checkCallbacks(setting: Setting) {
  const { answer, document } = await read(setting)
  const callbacks = operationOf(document, 'post /planets')?.callbacks ?? {}
  const missing = CALLBACKS.filter((name) => !callbacks[name])
  answer.expect(
    missing.length === 0,
    `the callbacks ${CALLBACKS.join(', ')}`,
    `a document without ${missing.join(', ')}`,
  )
}

async function checkDeprecated(setting: Setting) {
  const { answer, document } = await read(setting)
  const isDeprecated = operationOf(document, 'delete /planets/{planetId}')?.deprecated
  answer.expect(isDeprecated === true, 'DELETE /planets/{planetId} as deprecated', `deprecated: ${isDeprecated}`)
}

async function checkServers(setting: Setting) {
  const { answer, document } = await read(setting)
  const urls = (document.servers ?? []).map(({ url }: Members) => url)
  answer.expect(urls[0] === setting.world.url, `${setting.world.url} as first server`, urls.join(', '))
  const echo = document.servers.find(({ url }: Members) => url.startsWith('{protocol}://') && url.endsWith('/{path}'))
  answer.expect(echo, 'the echo as a server {protocol}://…/{path}', urls.join(', '))
  const { protocol, path } = echo.variables ?? {}
  answer.expect(
    protocol?.default === 'https' &&
      ['http', 'https'].every((one) => protocol.enum?.includes(one)) &&
      path?.default === 'anything',
    'protocol https or http (default https), and path (default anything, because some tools refuse an empty one)',
    JSON.stringify(echo.variables),
  )
}

async function checkDefaultVersion({ world }: Setting) {
  ;(await world.get('/planets')).expectStatus(200).expectHeader('API-Version', '2.0.0')
}

async function checkOldVersion({ world }: Setting) {
  const answer = await world.get('/planets', { headers: { 'API-Version': '1.0.0' } })
  answer.expectStatus(200).expectHeader('API-Version', '1.0.0')
}

async function checkUnknownVersion({ world }: Setting) {
  expectProblem(await world.get('/planets', { headers: { 'API-Version': '3.0.0' } }), 400)
}

const ECHOED = '/some/path?tag=a&tag=b'

async function checkEcho({ world }: Setting, path: string, expected: Members) {
  const answer = (await world.get(`/echo${path}`, { headers: { 'X-Sent': 'by the check' } })).expectStatus(200)
  const { method, headers, ...rest } = answer.json()
  answer.expect(method === 'GET' && headers?.['x-sent'] === 'by the check', 'the method GET and the header x-sent')
  for (const [name, value] of Object.entries(expected)) {
    answer.expect(JSON.stringify(rest[name]) === JSON.stringify(value), `${name} ${JSON.stringify(value)}`)
  }
}

async function checkAsyncApi({ world }: Setting) {
  const answer = (await world.get('/asyncapi.json')).expectStatus(200)
  const document = answer.json()
  answer.expect(/^3\./.test(document.asyncapi ?? ''), 'AsyncAPI 3')
  answer.expect(
    document.channels?.planetEvents,
    'the channel planetEvents',
    Object.keys(document.channels ?? {}).join(', '),
  )
}

export const documentChecks: Check[] = [
  ...reads('Versions', [
    ['2.0.0 is the default', checkDefaultVersion],
    ['1.0.0 on request', checkOldVersion],
    ['400 for any other', checkUnknownVersion],
    [
      'the document of 2.0.0 has the ten endpoints and the webhook',
      (setting) => checkEndpoints(setting, '/openapi.json', '2.0.0'),
    ],
    ['the document of 1.0.0 has the same', (setting) => checkEndpoints(setting, '/openapi/1.0.0.json', '1.0.0')],
  ]),
  ...reads('Documents', [
    ['OpenAPI: security of each endpoint', checkSecurity],
    ['OpenAPI: the seven schemes', checkSchemes],
    ['OpenAPI: callbacks', checkCallbacks],
    ['OpenAPI: DELETE is deprecated', checkDeprecated],
    ['OpenAPI: base address and echo server', checkServers],
    ['AsyncAPI', checkAsyncApi],
  ]),
  ...reads('Echo', [
    [
      'a request with a path and a query',
      (setting) => checkEcho(setting, ECHOED, { path: '/some/path', query: { tag: ['a', 'b'] } }),
    ],
    ['an empty path', (setting) => checkEcho(setting, '/', { path: '/' })],
  ]),
]
