import { describe, expect, it } from 'vitest'
import { describeWorld } from '../../../documents/documents.ts'
import { API_VERSIONS } from '../../../src/http/api-versions.ts'
import { fingerprintsOf, structureOf, takeOut } from '../../support/document-structure.ts'
import before from './before-openapi-3.2.json' with { type: 'json' }

// Programs that read the document in OpenAPI 3.1 must not notice the one in OpenAPI 3.2 beside it. So apart from what is
// listed here, its structure is that of before, of which `before-openapi-3.2.json` has the fingerprints (those of
// `fingerprintsOf`). What only OpenAPI 3.2 can say stays out.

const LIST = '/paths/~1planets/get'
const components = (kind: string, ...names: string[]) => names.map((name) => `/components/${kind}/${name}`)

const CASE_DOCUMENTS = ['openapi.json', 'openapi.yaml', 'openapi-3.0.json', 'openapi-3.2.json', 'openapi-3.2.yaml']

/** What has come since, in API version 2.0.0. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  'PATCH of a planet': [
    '/paths/~1planets~1{planetId}/patch',
    ...components('schemas', 'JsonPatch', 'JsonPatchOperation', 'JsonPatchOperationName', 'PlanetMergePatch'),
  ],
  'a 415 of PATCH has Accept-Patch': [
    '/components/headers/AcceptPatch',
    '/components/responses/UnsupportedMediaTypeProblem/headers/Accept-Patch',
  ],
  'the filter of planets, after the older parameters': [
    ...[8, 7, 6, 5, 4, 3, 2].map((index) => `${LIST}/parameters/${index}`),
    ...components('parameters', 'name', 'planetTypes', 'minHabitabilityIndex', 'sort', 'fields', 'cursor'),
    ...components('schemas', 'PlanetField', 'PlanetSort', 'CursorPageMeta'),
    `${LIST}/responses/429`,
  ],
  'the limit of celestial bodies of one type': ['/paths/~1celestial-bodies/get/responses/429'],
  'conditions for pages of planets': [
    `${LIST}/responses/200/headers/ETag`,
    `${LIST}/responses/304`,
    `${LIST}/responses/412`,
    '/components/responses/PlanetPageNotModified',
  ],
  links: [
    '/components/links',
    `${LIST}/responses/200/links`,
    '/paths/~1planets~1{planetId}/get/responses/200/links',
    '/paths/~1planets~1{planetId}/put/responses/200/links',
    ...['planets', 'celestial-bodies', 'user~1signup', 'me~1api-keys', 'webhooks', 'inboxes', 'events'].map(
      (path) => `/paths/~1${path}/post/responses/201/links`,
    ),
  ],
  'notes in the stream of planets': [
    '/components/schemas/PlanetStreamItem/properties/note',
    '/components/schemas/PlanetStreamItem/required/3',
    '/components/schemas/GalaxyMessage',
  ],
  guides: ['/paths/~1guides~1{guide}', '/paths/~1llms.txt', ...components('parameters', 'guide')],
  'the cases of the laboratory': [
    '/tags/8',
    ...['cases', ...CASE_DOCUMENTS]
      .flatMap((name) => [name, `try~1${name}`])
      .filter((name) => name !== 'try~1cases')
      .map((name) => `/paths/~1lab~1${name}`),
    '/paths/~1lab~1cases~1{group}~1{name}',
    ...components('parameters', 'only', 'without', 'group', 'caseName'),
    ...components('schemas', 'LabCase', 'LabCatalogue'),
  ],
  'runs of the laboratory': [
    '/components/parameters/runId',
    ...[
      '',
      '~1{runId}',
      ...['gate', 'junit.xml', 'badge.json', 'badge.svg', ...CASE_DOCUMENTS].map((name) => `~1{runId}~1${name}`),
    ].map((path) => `/paths/~1lab~1runs${path}`),
    ...components('parameters', 'level'),
    ...components('schemas', 'LabRun', 'LabRunInput', 'LabRunChange', 'LabExpectations', 'LabSkips', 'LabReport'),
    ...components('schemas', 'LabSummary', 'LabCounts', 'LabResult', 'LabLevel', 'LabOutcome', 'LabGate', 'LabBadge'),
    ...['properties/labRuns', 'required/6'].map((place) => `/components/schemas/UniverseFigures/${place}`),
    ...components('schemas', 'LabGateLevel', 'LabOpenApi'),
  ],
  'faults in universes': [
    '/paths/~1universe~1faults',
    '/paths/~1universe~1faults~1attempts',
    ...components('parameters', 'rule', 'keyFilter'),
    ...components('schemas', 'CountedFaultRule', 'CountedFaultRules', 'FaultAction', 'FaultActionName'),
    ...components(
      'schemas',
      'FaultAttempt',
      'FaultAttemptPage',
      'FaultChance',
      'FaultDrop',
      'FaultLabel',
      'FaultLimit',
    ),
    ...components(
      'schemas',
      'FaultMatch',
      'FaultMethod',
      'FaultRetryAfter',
      'FaultRetryForm',
      'FaultRule',
      'FaultRules',
    ),
    ...components('schemas', 'FaultStep', 'FaultThen', 'FaultViolation'),
  ],
  'the device flow': [
    '/paths/~1oauth~1device',
    ...components('schemas', 'DeviceAuthorization', 'DeviceAuthorizationForm'),
    ...[11, 10, 9].map((index) => `/components/schemas/OAuthErrorCode/enum/${index}`),
    '/components/schemas/OAuthGrantType/enum/5',
    '/components/schemas/TokenForm/properties/device_code',
    '/components/schemas/ProviderMetadata/properties/device_authorization_endpoint',
    '/components/schemas/ProviderMetadata/required/3',
  ],
  'signatures with a public key': [
    ...components('schemas', 'WebhookSigning'),
    ...['Webhook', 'CreatedWebhook', 'WebhookInput'].map((name) => `/components/schemas/${name}/properties/signing`),
    ...['Webhook', 'CreatedWebhook'].flatMap((name) =>
      ['properties/publicKey', 'required/4'].map((place) => `/components/schemas/${name}/${place}`),
    ),
  ],
  'tests and checks of receivers': [
    ...['tests', 'checks', 'checks~1{checkId}', 'checks~1{checkId}~1junit.xml'].map(
      (path) => `/paths/~1webhooks~1{webhookId}~1${path}`,
    ),
    ...components('parameters', 'checkId'),
    ...['Delivery', 'DeliveryDetail'].map((name) => `/components/schemas/${name}/properties/test`),
    ...components('schemas', 'DeliveryTest', 'ReceiverDefect', 'ReceiverExpectation', 'ReceiverVerdict'),
    ...components('schemas', 'ReceiverTestInput', 'ReceiverTestPayload', 'ReceiverCheckInput', 'ReceiverCheckSkips'),
    ...components('schemas', 'ReceiverCheck', 'ReceiverCheckResult', 'ReceiverCheckState', 'ReceiverCheckSummary'),
    ...components('schemas', 'ReceiverCheckVerdict'),
  ],
  'verification of messages': [
    '/paths/~1lab~1webhooks~1verify',
    ...components('schemas', 'MessageEncoding', 'MessageHeaders', 'WebhookVerificationInput'),
    ...components('schemas', 'WebhookVerification', 'WebhookFinding', 'WebhookFindingCode'),
  ],
  'the documents in OpenAPI 3.2': ['/paths/~1openapi-3.2.json', '/paths/~1openapi-3.2.yaml'],
  'the lifetime of tokens in universes': [
    ...['properties/tokenSeconds', 'required/5'].map((place) => `/components/schemas/Universe/${place}`),
    '/components/schemas/UniverseChange/properties/tokenSeconds',
  ],
  'tokens with a defect': [
    '/paths/~1universe~1tokens',
    ...components('schemas', 'DefectiveToken', 'DefectiveTokenInput', 'TokenDefect', 'TokenError', 'TokenExpectation'),
  ],
  'workflows in Arazzo': [
    ...['arazzo.json', 'arazzo.yaml', 'arazzo-1.1.json', 'arazzo-1.1.yaml'].map((name) => `/paths/~1${name}`),
    ...components('responses', 'ArazzoJson', 'ArazzoYaml'),
  ],
}

/** What has come since in every version, because every version can meet it. */
const ADDED_TO_ALL: readonly string[] = [
  ...['unexpected', 'missing', 'stale', 'from', 'to'].map((name) => `/components/schemas/Problem/properties/${name}`),
  '/components/schemas/UniverseLimitName/enum/6',
  '/components/schemas/Problem/xml/namespace',
  '/components/schemas/Problem/properties/errors/xml',
]

/** The name of an item of a list in a problem, which has an element around its lists now. */
const ITEM = { old: '"xml":{"name":"errors"}', now: '"xml":{"name":"i"}' }

/** A call of a subscription with a public key does not have this header. */
const HEADER = {
  old: '"name":"x-signature","required":true,',
  now: '"name":"x-signature","required":false,',
}

/** What follows the secret of a new subscription. */
const AFTER_SECRET =
  '"signing":{"$ref":"#/components/schemas/WebhookSigning"},"status":{"$ref":"#/components/schemas/SubscriptionStatus"},"url":{"format":"uri","maxLength":2048,"pattern":"^[Hh][Tt][Tt][Pp][Ss]?://","type":"string"}},"required":["id","url","events","status","signing","createdAt"'

/** What is another text in API version 2.0.0 now. */
const REPLACED = [
  // A subscription with a public key has no secret.
  { old: `"secret":{"type":"string"},${AFTER_SECRET},"secret"`, now: `"secret":{"type":"string"},${AFTER_SECRET}` },
  // The reference to the members of a page, which also have a cursor now.
  { old: '#/components/schemas/PageMeta', now: '#/components/schemas/CursorPageMeta' },
  // There is one more grant type.
  { old: '|password)$', now: '|password|urn:ietf:params:oauth:grant-type:device_code)$' },
  {
    old: '{"items":{"$ref":"#/components/schemas/OAuthGrantType"},"maxItems":5',
    now: '{"items":{"$ref":"#/components/schemas/OAuthGrantType"},"maxItems":6',
  },
  // The end of a universe is one of two things that its owner can change.
  {
    old: '{"additionalProperties":false,"properties":{"expiresAt":{"format":"date-time","type":"string"},"tokenSeconds":{"maximum":3600,"minimum":5,"type":"integer"}},"required":["expiresAt"],',
    now: '{"additionalProperties":false,"minProperties":1,"properties":{"expiresAt":{"format":"date-time","type":"string"},"tokenSeconds":{"maximum":3600,"minimum":5,"type":"integer"}},',
  },
]

const DOCUMENTS = (['common', 'universe'] as const).flatMap((world) =>
  API_VERSIONS.map((version) => ({ name: `${world} ${version}` as const, world, version })),
)

describe.each(DOCUMENTS)('the document in OpenAPI 3.1 of $name', ({ name, world, version }) => {
  it('has changed only as listed', async () => {
    const isCurrent = version === '2.0.0'
    const text = JSON.stringify(structureOf(describeWorld(world, version)))
      .replace(ITEM.now, ITEM.old)
      .replace(HEADER.now, HEADER.old)
    const older = (isCurrent ? REPLACED : []).reduce((whole, { old, now }) => whole.replace(now, old), text)
    const structure = JSON.parse(older)
    const added = [...ADDED_TO_ALL, ...(isCurrent ? Object.values(ADDED).flat() : [])]
    for (const pointer of added) takeOut(structure, pointer)
    expect(await fingerprintsOf(structure)).toEqual(before[name])
  })
})

it.each(['common', 'universe'] as const)('a page of planets has the members of every page (%s)', (world) => {
  const structure = JSON.parse(JSON.stringify(structureOf(describeWorld(world, '2.0.0'))))
  const { PageMeta, CursorPageMeta } = structure.components.schemas
  expect(CursorPageMeta.required).toEqual([...PageMeta.required, 'nextCursor'])
  delete CursorPageMeta.properties.nextCursor
  expect(CursorPageMeta.properties).toEqual(PageMeta.properties)
})
