import publicDocument from '@scalar/galaxy/3.1.json'
import { describe, expect, it } from 'vitest'
import { describeCompletely, describeIn32, describeWorld } from '../../../documents/documents.ts'
import { operationsIn } from '../../../documents/openapi/path-item.ts'
import type { Document, Operation, PathItem, Schema } from '../../../documents/openapi/types.ts'
import type { World } from '../../../src/domain/universe.ts'
import { API_VERSIONS, type ApiVersion } from '../../../src/http/api-versions.ts'
import { madeFrom, partsOf, plain, repeated } from '../../support/document-rules.ts'
import { eachRow } from '../../support/each-row.ts'
import { compareDocuments } from '../../support/superset.ts'

// What code generators need of the published documents. Each rule has broken a generator: docs/tools.md.

const WORLDS: readonly World[] = ['common', 'universe']
interface Edition {
  world: World
  apiVersion: ApiVersion
  openApi: '3.1' | '3.2'
}

const EDITIONS: readonly Edition[] = WORLDS.flatMap((world) => [
  ...API_VERSIONS.map((apiVersion) => ({ world, apiVersion, openApi: '3.1' as const })),
  { world, apiVersion: '2.0.0' as const, openApi: '3.2' as const },
])

/** Bytes of the document of the current version without white space, and for each of its operations. */
const BYTES_MAX = { '3.1': 440_000, '3.2': 600_000 }
/** OpenAPI 3.2 has the text of each example in XML. */
const BYTES_OF_AN_OPERATION = { '3.1': 5000, '3.2': 6000 }

/** Each edition with its document, and what the rules are about. */
const DOCUMENTS = EDITIONS.map(({ world, apiVersion, openApi }) => {
  const document = openApi === '3.2' ? describeIn32(world, 'json') : describeWorld(world, apiVersion)
  return {
    ...{ world, apiVersion, openApi, document },
    operations: operationsOf(document.paths),
    webhooks: operationsOf(document.webhooks),
    schemas: schemasOf(document),
  }
})

const nameOf = ({ world, apiVersion, openApi }: Edition) => `${apiVersion}, ${world}, OpenAPI ${openApi}`

describe('each published document', () => {
  it('has tags of its own for webhooks, because generators write one file for each tag', () =>
    eachRow(
      DOCUMENTS,
      ({ operations, webhooks }) => {
        const tags = new Set(operations.flatMap((operation) => operation.tags))
        for (const webhook of webhooks) expect(tags).not.toContain(webhook.tags[0])
      },
      nameOf,
    ))

  it('has constants and enums of texts only, except the status of a problem', () =>
    eachRow(
      DOCUMENTS,
      ({ schemas }) => {
        const others = schemas.filter(({ schema: { const: value, enum: values } }) =>
          [...(value === undefined ? [] : [value]), ...(Array.isArray(values) ? values : [])].some(
            (one) => typeof one !== 'string' && one !== null,
          ),
        )
        expect(others.filter(({ place }) => !place.endsWith('/properties/status')).map(({ place }) => place)).toEqual(
          [],
        )
        for (const { schema } of others) expect(schema).toMatchObject({ type: 'integer', enum: [expect.any(Number)] })
      },
      nameOf,
    ))

  it('gives the extensions of other projects the shape that their authors gave them', () =>
    eachRow(
      DOCUMENTS,
      ({ schemas }) => {
        for (const { place, schema } of schemas) {
          for (const name of ['x-enum-varnames', 'x-enum-descriptions']) {
            if (schema[name] === undefined) continue
            const values = Array.isArray(schema.enum) ? schema.enum : []
            expect([place, name, schema[name]]).toEqual([place, name, values.map(() => expect.any(String))])
          }
        }
      },
      nameOf,
    ))

  it('has components whose names are identifiers', () =>
    eachRow(
      DOCUMENTS,
      ({ document }) => {
        const names = Object.values(document.components).flatMap((components) => Object.keys(components))
        expect(names.filter((name) => !/^[A-Za-z][A-Za-z0-9_]*$/.test(name))).toEqual([])
      },
      nameOf,
    ))

  it('has names that differ by more than case and signs, whatever they name', () =>
    eachRow(
      DOCUMENTS,
      ({ document }) => {
        expect(repeated(namesOf(document).map(plain))).toEqual([])
      },
      nameOf,
    ))

  it('has no name that a generator makes from another one', () =>
    eachRow(
      DOCUMENTS,
      ({ document }) => {
        const names = new Map(namesOf(document).map((name) => [plain(name), name]))
        const made = [...names.values()].flatMap((name) =>
          madeFrom(plain(name)).flatMap((other) => {
            const found = names.get(other)
            return found === undefined ? [] : [`${found} beside ${name}`]
          }),
        )
        // The public document has both names.
        expect(made.filter((pair) => pair !== 'newPlanet beside Planet')).toEqual([])
      },
      nameOf,
    ))

  it('has a component for each object and each enum', () =>
    eachRow(
      DOCUMENTS,
      ({ schemas }) => {
        const isInline = (place: string) => !/^schemas\/\w+$/.test(place)
        const inline = schemas.filter(({ place, schema }) => isInline(place) && (schema.properties || schema.enum))
        // A problem is the schema of all problems with one status.
        expect(
          inline.map(({ place }) => place).filter((place) => !/\/allOf\/1(?:\/properties\/status)?$/.test(place)),
        ).toEqual([])
      },
      nameOf,
    ))

  it('has unions of components, and says which member tells them apart', () =>
    eachRow(
      DOCUMENTS,
      ({ schemas }) => {
        for (const { place, schema } of schemas) {
          for (const keyword of ['oneOf', 'anyOf']) {
            if (!Array.isArray(schema[keyword])) continue
            const choices: Schema[] = schema[keyword]
            const isKnown = choices.every(({ $ref, type }) => $ref !== undefined || type === 'null')
            expect([place, isKnown]).toEqual([place, true])
            expect([place, keyword]).not.toEqual([expect.stringMatching(/\/items$/), expect.anything()])
            const names = choices.flatMap(({ $ref }) => ($ref === undefined ? [] : [String($ref)]))
            if (keyword !== 'oneOf') continue
            expect(Object.values(Object(schema.discriminator).mapping)).toEqual(names)
          }
        }
      },
      nameOf,
    ))

  it('says nothing beside a reference that generators drop or stumble over, nor that nothing is allowed', () =>
    eachRow(
      DOCUMENTS,
      ({ document, schemas }) => {
        for (const { place, schema } of schemas) {
          if (schema.$ref !== undefined) expect([place, schema.default]).toEqual([place, undefined])
          expect([place, schema.not]).toEqual([place, undefined])
          expect([place, schema.default]).not.toEqual([place, ''])
        }
        const variables = document.servers.flatMap((server) => Object.values(server.variables ?? {}))
        for (const { default: value } of variables) expect(value).not.toBe('')
      },
      nameOf,
    ))

  it('calls every number a double, because the service keeps all its digits', () =>
    eachRow(
      DOCUMENTS,
      ({ schemas }) => {
        const numbers = schemas.filter(({ schema }) => [schema.type].flat().includes('number'))
        expect(numbers).not.toEqual([])
        for (const { place, schema } of numbers) expect([place, schema.format]).toEqual([place, 'double'])
      },
      nameOf,
    ))

  it('says that an integer has 64 bits, unless all its values fit into 32', () =>
    eachRow(
      DOCUMENTS,
      ({ schemas }) => {
        const integers = schemas.filter(({ schema }) => [schema.type].flat().includes('integer'))
        for (const { place, schema } of integers) {
          // With int64, openapi-generator's client in Rust expects a text for the status of a problem.
          const values = Array.isArray(schema.enum) ? schema.enum : [schema.maximum]
          const isSmall = values.every((value) => typeof value === 'number' && value < 2 ** 31)
          expect([place, schema.format]).toEqual([place, isSmall ? undefined : 'int64'])
        }
      },
      nameOf,
    ))

  it('has no pattern for a time, because generated clients hold a time and not its text', () =>
    eachRow(
      DOCUMENTS,
      ({ schemas }) => {
        const times = schemas.filter(({ schema }) => schema.format === 'date-time')
        expect(times).not.toEqual([])
        for (const { place, schema } of times) expect([place, schema.pattern]).toEqual([place, undefined])
      },
      nameOf,
    ))

  it('has patterns that mean the same in every language', () =>
    eachRow(
      DOCUMENTS,
      ({ document, schemas }) => {
        const headers: { schema: Schema }[] = Object.values(Object(document.components.headers))
        const patterns = [...schemas, ...headers].flatMap(({ schema: { pattern } }) =>
          typeof pattern === 'string' ? [pattern] : [],
        )
        expect(patterns).not.toEqual([])
        for (const pattern of patterns) {
          // Java, Ruby and Rust: `[` begins a class inside a class, and these pairs are operators there.
          const classes = pattern.replaceAll(/\\./g, '_').match(/(?<=\[)[^\]]*(?=\])/g) ?? []
          expect([pattern, classes.filter((characters) => /\[|&&|--|~~|\|\|/.test(characters))]).toEqual([pattern, []])
        }
      },
      nameOf,
    ))

  it('bounds every integer that the service bounds by what JSON can represent', () =>
    eachRow(
      DOCUMENTS,
      ({ document }) => {
        const { parameters } = document.components
        const numbers = Object.entries(parameters).filter(([, { schema }]) => schema?.type === 'integer')
        for (const [name, { schema }] of numbers) {
          expect([name, schema?.maximum]).toEqual([name, Number.MAX_SAFE_INTEGER])
        }
      },
      nameOf,
    ))

  it('closes schemas of requests where unknown members are refused, and leaves all others of responses open', () =>
    eachRow(
      DOCUMENTS,
      ({ apiVersion, document, operations, schemas }) => {
        const sent = reachedFrom(
          document,
          operations.flatMap(({ responses }) => Object.values(responses)),
        )
        const taken = reachedFrom(
          document,
          operations.map(({ requestBody }) => requestBody),
        )
        for (const name of sent.filter((name) => !(taken.includes(name) && CLOSED.includes(name)))) {
          const closed = JSON.stringify(document.components.schemas[name]).includes('"additionalProperties":false')
          expect([name, closed]).toEqual([name, false])
        }
        // What can be anything makes a map of a class. The members of an event depend on its type, so clients need the map.
        const maps = schemas.filter(({ schema: { additionalProperties, properties } }) => {
          const isAnything = additionalProperties === true || Object(additionalProperties).type === undefined
          return additionalProperties !== undefined && additionalProperties !== false && properties && isAnything
        })
        expect(maps.map(({ place }) => place)).toEqual(apiVersion === '2.0.0' ? ['schemas/Event'] : [])
        if (apiVersion === '2.0.0') {
          const closed = taken.filter((name) => document.components.schemas[name]?.additionalProperties === false)
          expect(closed.toSorted()).toEqual(CLOSED.filter((name) => taken.includes(name)))
        }
      },
      nameOf,
    ))

  it('has one component for the problems of a status, whatever headers come with them', () =>
    eachRow(
      DOCUMENTS,
      ({ document }) => {
        const contents = Object.entries(document.components.responses).map(([name, { headers: _, ...response }]) => ({
          name,
          text: JSON.stringify(response),
        }))
        expect(repeated(contents.map(({ text }) => text))).toEqual([])
      },
      nameOf,
    ))

  it('has at most four optional headers for an operation', () =>
    eachRow(
      DOCUMENTS,
      ({ document, operations }) => {
        for (const { operationId, parameters = [] } of operations) {
          const headers = parameters.filter((parameter) => '$ref' in parameter && isHeader(document, parameter.$ref))
          expect([operationId, headers.length]).toEqual([operationId, Math.min(headers.length, 4)])
        }
      },
      nameOf,
    ))

  it('has the statuses that the place of an operation causes: no such universe, and one that has ended', () =>
    eachRow(
      DOCUMENTS,
      ({ world, apiVersion, document, operations }) => {
        const ofPlace = operations.filter(({ servers }) => world === 'universe' || servers !== undefined)
        expect(ofPlace.length > 0).toBe(world === 'universe' || apiVersion === '2.0.0')
        for (const { operationId, responses } of ofPlace) {
          expect([operationId, Object.keys(responses)]).toEqual([operationId, expect.arrayContaining(['404', '410'])])
        }
        for (const { operationId, responses } of operations.filter((operation) => !ofPlace.includes(operation))) {
          expect([operationId, Object.keys(responses)]).not.toEqual([operationId, expect.arrayContaining(['410'])])
        }
        const { NoUniverseProblem } = document.components.responses
        if (ofPlace.length > 0) expect(NoUniverseProblem?.description).toContain('POST /universes')
      },
      nameOf,
    ))

  it('has the server of a universe only at operations that only universes have, with a default to be replaced', () =>
    eachRow(
      DOCUMENTS,
      ({ document }) => {
        const urls = document.servers.map(({ url }) => url)
        expect(urls.filter((url) => url.includes('{universe}'))).toEqual([])
        const elsewhere = Object.entries(document.paths).flatMap(([path, item]) =>
          operationsIn(item).flatMap(([, { servers = [] }]) => servers.map((server) => ({ path, server }))),
        )
        for (const { path, server } of elsewhere) {
          expect(path).toMatch(/^\/universe(?:\/|$)/)
          expect(server.variables).toEqual({ universe: { default: 'id-of-your-universe' } })
        }
      },
      nameOf,
    ))

  it('requires what RFCs call REQUIRED', () =>
    eachRow(
      DOCUMENTS,
      ({ apiVersion, document }) => {
        const { schemas: components } = document.components
        for (const [name, members] of Object.entries(REQUIRED)) {
          const schema = components[name]
          if (schema) expect([name, schema.required]).toEqual([name, expect.arrayContaining([...members])])
          else expect([name, apiVersion]).toEqual([name, '1.0.0'])
        }
      },
      nameOf,
    ))

  it('calls each URL a URI', () =>
    eachRow(
      DOCUMENTS,
      ({ schemas }) => {
        const members = schemas.flatMap(({ place, schema }) =>
          Object.entries<Schema>(Object(schema.properties)).map(([name, member]) => ({
            place: `${place}/${name}`,
            name,
            member,
          })),
        )
        const urls = members.filter(({ name }) => /(?:^|_|[a-z])(?:url|uri|uris|endpoint)$/i.test(name))
        expect(urls).not.toEqual([])
        for (const { place, member } of urls) {
          if (SENT_AS_RECEIVED.test(place)) continue
          const { format } = Object(member.items ?? member)
          expect([place, format]).toEqual([place, 'uri'])
        }
      },
      nameOf,
    ))

  it('has no HTML page', () =>
    eachRow(
      DOCUMENTS,
      ({ document }) => {
        expect(JSON.stringify(document)).not.toContain('"text/html"')
      },
      nameOf,
    ))

  it('is small', () =>
    eachRow(
      DOCUMENTS,
      ({ apiVersion, openApi, document, operations }) => {
        const size = new TextEncoder().encode(JSON.stringify(document)).length
        expect(size).toBeLessThanOrEqual(BYTES_MAX[openApi])
        expect(size / operations.length).toBeLessThanOrEqual(
          BYTES_OF_AN_OPERATION[openApi] * (apiVersion === '2.0.0' ? 1 : 3),
        )
      },
      nameOf,
    ))

  it.each(DOCUMENTS)(
    '$apiVersion, $world, OpenAPI $openApi: says nothing that the complete document does not',
    ({ world, apiVersion, openApi, document }) => {
      const missing = compareDocuments(document, describeCompletely(world, apiVersion, openApi))
      // There, each operation that has it also has the headers of its rate limit, which are in the name of the response.
      expect(missing.filter((feature) => feature !== 'component responses UriTooLongProblem')).toEqual([])
    },
  )

  it('keeps the names of the public document, except of responses, headers and parameters', () =>
    eachRow(
      DOCUMENTS,
      ({ apiVersion, document }) => {
        const kept = Object.keys(publicDocument.components.schemas).filter((name) => name !== 'PaginatedResource')
        expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(usedIn(apiVersion, kept)))
      },
      nameOf,
    ))
})

/** What clients send where the service refuses an unknown member, because it may be a misspelling of one that matters. */
const CLOSED = [
  'ApiKeyInput',
  'BasicReceiverAuth',
  'BearerReceiverAuth',
  'CelestialBodyInput',
  'CookieKeyReceiverAuth',
  'DefectiveTokenInput',
  'EventTrigger',
  'FaultAction',
  'FaultChance',
  'FaultLimit',
  'FaultMatch',
  'FaultRetryAfter',
  'FaultRule',
  'FaultRules',
  'FaultStep',
  'HeaderKeyReceiverAuth',
  'InboxInput',
  'LabRunChange',
  'LabRunInput',
  'OAuth2ReceiverAuth',
  'ObservationBatchMeta',
  'OpenIdReceiverAuth',
  'PlanetInput',
  'PlanetQuery',
  'PlanetQueryForm',
  'QueryKeyReceiverAuth',
  'ReceiverCheckInput',
  'ReceiverTestInput',
  'UniverseChange',
  'UniverseInput',
  'WebhookInput',
  'WebhookPatch',
  'WebhookVerificationInput',
]

/** URLs as the service or a client received them: of a planet that was refused, and of an OAuth client. */
const SENT_AS_RECEIVED =
  /^schemas\/(?:RefusedPlanet\/|TokenForm\/redirect_uri$|(?:RegisteredClient|OwnClient)\/\w*redirect_?uris$)/i

/** Members that a standard calls REQUIRED, by schema. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  // RFC 6749, sections 4.1.3, 5.1 and 5.2
  TokenForm: ['grant_type'],
  TokenSet: ['access_token', 'token_type'],
  OAuthError: ['error'],
  // RFC 7009, section 2.1, and RFC 7662, sections 2.1 and 2.2
  TokenReferenceForm: ['token'],
  Introspection: ['active'],
  // RFC 7517, sections 4.1 and 5
  ClientKey: ['kty'],
  ClientKeySet: ['keys'],
  JsonWebKey: ['kty'],
  JsonWebKeySet: ['keys'],
  // RFC 7591, section 3.2.1
  RegisteredClient: ['client_id'],
  // OpenID Connect Discovery 1.0, section 3, and OpenID Connect Core 1.0, section 5.3.2
  ProviderMetadata: [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'response_types_supported',
    'subject_types_supported',
    'id_token_signing_alg_values_supported',
  ],
  UserInfo: ['sub'],
  // RFC 9728, section 2
  ResourceMetadata: ['resource'],
}

/** The first version has no refusal for each status of the public document. */
function usedIn(apiVersion: ApiVersion, names: string[]): string[] {
  return apiVersion === '2.0.0' ? names : names.filter((name) => !/Error$/.test(name))
}

function operationsOf(paths: Readonly<Record<string, PathItem>>): Operation[] {
  return Object.values(paths).flatMap((item) => operationsIn(item).map(([, operation]) => operation))
}

/** The names in a document that become names of types, functions or files. */
function namesOf({ components, paths, webhooks }: Document): string[] {
  const { schemas, parameters, responses, headers, securitySchemes } = components
  const named = [schemas, parameters, responses, headers, securitySchemes].flatMap((kind) => Object.keys(kind))
  const operations = operationsOf(paths)
  const callbacks = new Set(operations.flatMap((operation) => Object.keys(operation.callbacks ?? {})))
  return [...named, ...operations.map(({ operationId }) => operationId), ...callbacks, ...Object.keys(webhooks)]
}

/** Every schema of a document with its place, such as `schemas/Planet/properties/name`. */
function schemasOf({ components, paths, webhooks }: Document): { place: string; schema: Schema }[] {
  const roots = [
    ...Object.entries(components.schemas).map(([name, schema]) => [`schemas/${name}`, schema] as const),
    // A parameter has a content instead of a schema if it is the whole query.
    ...Object.entries(components.parameters).flatMap(([name, { schema }]) =>
      schema ? [[`parameters/${name}`, schema] as const] : [],
    ),
    ...schemasBelow({ responses: components.responses, paths, webhooks }, ''),
  ]
  return roots.flatMap(([place, schema]) => partsOf(place, schema))
}

/** The schemas of contents and headers, at any depth. */
function schemasBelow(value: unknown, place: string): [string, Schema][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]): [string, Schema][] =>
    key === 'schema'
      ? [[`${place}/${key}`, member]]
      : key === 'examples'
        ? []
        : schemasBelow(member, `${place}/${key}`),
  )
}

/** The names of the component schemas that a part of a document leads to. */
function reachedFrom({ components }: Document, part: unknown): string[] {
  const reached = new Set<string>()
  const follow = (value: unknown) => {
    for (const [, kind = '', name = ''] of (JSON.stringify(value) ?? '').matchAll(/#\/components\/(\w+)\/([\w-]+)/g)) {
      if (reached.has(`${kind}/${name}`)) continue
      reached.add(`${kind}/${name}`)
      follow(Object(Object(components)[kind])[name])
    }
  }
  follow(part)
  return [...reached].flatMap((name) => (name.startsWith('schemas/') ? [name.replace('schemas/', '')] : []))
}

function isHeader({ components }: Document, reference: string): boolean {
  return components.parameters[reference.split('/').at(-1) ?? '']?.in === 'header'
}
