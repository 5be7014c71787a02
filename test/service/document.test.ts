import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BASIC } from '@hyperjump/json-schema/experimental'
import { validate as validate31 } from '@hyperjump/json-schema/openapi-3-1'
import { validate as validate32 } from '@hyperjump/json-schema/openapi-3-2'
import publicDocument from '@scalar/galaxy/3.1.json' with { type: 'json' }
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { compareDocuments, findMissing } from '../support/superset.ts'
import { lint } from './linter.ts'
import publicFeatures from './public-3.2.json' with { type: 'json' }

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const MAX_BYTES = 10_000_000
/** Prints the document of a universe. */
const print = (...options: string[]) =>
  execFileSync(process.execPath, [join(ROOT, 'scripts/run.cjs'), 'openapi', '--universe', ...options], {
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
  })
const COMMON = read('documents/out/openapi.json')
const UNIVERSE = print()
const COMMON_32 = read('documents/out/openapi-3.2.json')
const UNIVERSE_32 = print('--3.2')

describe.each([
  { world: 'the common world', text: COMMON, version: '3.1.1' },
  { world: 'a universe', text: UNIVERSE, version: '3.1.1' },
  { world: 'the common world', text: COMMON_32, version: '3.2.0' },
  { world: 'a universe', text: UNIVERSE_32, version: '3.2.0' },
])('the document of $world in OpenAPI $version', ({ text, version }) => {
  const document = JSON.parse(text)

  it('has this version', () => {
    expect(document.openapi).toBe(version)
  })

  it('is accepted by the linter with the stricter rules, without a warning', async () => {
    expect(await lint(text)).toEqual([])
  })

  it('is accepted by the schema of its version of OpenAPI', async () => {
    expect(await new Validator().validate(document)).toEqual({ valid: true })
  })

  it('is accepted by the schema of its version of OpenAPI and by the dialect of its schemas', async () => {
    const validate = version === '3.1.1' ? validate31 : validate32
    const schema = `https://spec.openapis.org/oas/${version.slice(0, 3)}/schema-base`
    expect(await validate(schema, document, BASIC)).toEqual({ valid: true })
  })
})

describe.each([
  { world: 'the common world', older: COMMON, newer: COMMON_32 },
  { world: 'a universe', older: UNIVERSE, newer: UNIVERSE_32 },
])('the documents of $world describe the same service', ({ older, newer }) => {
  const [first, second] = [JSON.parse(older), JSON.parse(newer)]

  it('of the same version', () => {
    expect(second.info).toEqual(first.info)
  })

  it('so that OpenAPI 3.2 has everything that 3.1 has', () => {
    const missing = compareDocuments(first, second)
    const renamed = /^component schemas PlanetStreamItem$|^schema PlanetStreamItem\b/
    const stream = /^GET \/planets\/events: (?:tag Planets|200 \S+ has the format)/
    // OpenAPI 3.2 says it with `nodeType`.
    const wrapped = /: xml wrapped true$/
    const differs = [renamed, stream, wrapped]
    expect(missing.filter((feature) => !differs.some((pattern) => pattern.test(feature)))).toEqual([])
  })
})

/** What the public document contains and ours does not, and why. */
const ACCEPTED = [
  [
    /: [45]\d\d application\/(?:json|xml)\b/,
    'errors are application/problem+json and application/problem+xml (RFC 9457)',
  ],
  [/ has the format float$/, 'the service keeps doubles, and a client that believed float would lose digits'],
  [
    / \w+\.status has the format int64$/,
    'a status is small, and with int64 the Rust client of openapi-generator expects a text for an enum of one number',
  ],
  [/^component responses /, 'responses of problems end with Problem, and what few operations answer stands there'],
  [/^component headers /, 'names of components are identifiers, such as XRequestID'],
  [/^webhook .*: tag Planets$/, 'webhooks have a tag of their own, because generators write one file for each tag'],
  [/: request application\/(?:json|xml)\.id: x-variable/, 'ignored in requests'],
  [
    /: request application\/(?:json|xml)\.satellites\[\]\.(?:id|orbit\.planet)(?: has the format int64)?$/,
    'ignored in requests',
  ],
  [/: request application\/(?:json|xml)\.creator\./, 'ignored in requests'],
  [/\borbit\.planet\./, 'a satellite refers to its planet by id and name, never by all of it'],
  [
    /(?:component schemas|schema) PaginatedResource/,
    'each list has a plain schema, because few tools understand $dynamicRef',
  ],
  [/header Location has the format uri$/, 'some redirects lead to a path, so it is a uri-reference'],
  [/header Last-Modified has the format date-time$/, 'an HTTP-date (RFC 9110, section 5.6.7) is no date-time'],
  [
    /^schema CelestialBody: discriminator /,
    'a body need not have a type, and only OpenAPI 3.2 can say what that means',
  ],
  [
    /^schema (?:CelestialBody: |CelestialBody\.creator: |Planet\.creator: |\S+\.orbit\.planet: )xml name /,
    'the element of a member has the name of the member',
  ],
  [
    /callback planetCreationFailed .*: request application\/json\./,
    'what was refused may hold anything in its members',
  ],
] as const

/** What the public document in OpenAPI 3.2 contains beyond 3.1 and ours does not, and why. */
const ACCEPTED_IN_32 = [
  [
    /^(?:QUERY|GET|COPY|POST) \/planets(?:\/search|\/\{planetId\}(?:\/observations)?)?: [45]\d\d application\/(?:json|xml)\b/,
    'errors are application/problem+json and application/problem+xml (RFC 9457)',
  ],
  [
    /^schema \S+\.(?:id|description|tags(?:\[\])?|satellites): xml (?:nodeType|name) /,
    'XML has no attributes, no CDATA and no element around a list, as in OpenAPI 3.1',
  ],
  [
    /^schema (?:GalaxyMessage|PlanetEvent)\b.*: xml |^schema PlanetEvent\.planet\.creator: xml /,
    'the items of streams are never XML, so nothing says how they would be',
  ],
  [
    /^GET \/planets\/events: 200 text\/event-stream item\.(?:planet|note|occurredAt)\b/,
    'a parsed event has only the members of server-sent events, and its data is a text with the item',
  ],
  [/ has the format float$/, 'the service keeps doubles, and a client that believed float would lose digits'],
  [/^COPY \S+: 201: header Location has the format uri$/, 'some redirects lead to a path, so it is a uri-reference'],
  [
    /(?:\bitem|^schema PlanetEvent)\.planet\.id: x-variable$/,
    'the planet of an event is an object of its own, without the hints for requests',
  ],
] as const

describe.each([
  {
    name: '3.1',
    accepted: ACCEPTED,
    missing: compareDocuments(publicDocument, JSON.parse(COMMON)),
  },
  {
    name: '3.2',
    accepted: ACCEPTED_IN_32,
    missing: findMissing(publicFeatures.features, JSON.parse(COMMON_32)),
  },
])('it is a superset of the public document in OpenAPI $name', ({ accepted, missing }) => {
  it('except for accepted differences', () => {
    expect(missing.filter((feature) => !accepted.some(([pattern]) => pattern.test(feature)))).toEqual([])
  })

  it.each([...accepted])('%s: %s', (pattern) => {
    expect(missing.filter((feature) => pattern.test(feature))).not.toEqual([])
  })
})

/** Members whose own members have names that the document chooses. */
const CHOSEN =
  /^(?:additionalOperations|callbacks|content|encoding|examples|headers|links|mapping|parameters|pathItems|paths|properties|requestBodies|responses|schemas|scopes|security|securitySchemes|variables|\$defs)$/
/** Members that are values, and what programs of others read. */
const DATA = /^(?:const|dataValue|default|enum|example|value)$|^x-/
/** What OpenAPI 3.1 has too, although the document in 3.1 does not use it. */
const OLDER = ['encoding', 'prefixItems', 'contentMediaType', 'contentSchema', 'contentType']

/** The keywords of a document, and the values of `in` and `style`. */
function keywordsOf(value: unknown, areChosen = false): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keywordsOf(item))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, content]) => {
    if (areChosen) return keywordsOf(content)
    if (DATA.test(name)) return [name]
    if (/^(?:in|style)$/.test(name)) return [`${name}: ${content}`]
    const isList = Array.isArray(content)
    return [name, ...(name === 'examples' && isList ? [] : keywordsOf(content, CHOSEN.test(name) && !isList))]
  })
}

it('the guide to OpenAPI 3.2 names each keyword that the document in 3.1 does not have', () => {
  const older = [...keywordsOf(JSON.parse(COMMON)), ...OLDER]
  const newer = [...new Set(keywordsOf(JSON.parse(COMMON_32)))].filter((keyword) => !older.includes(keyword))
  expect(newer).toEqual(
    expect.arrayContaining(['$self', 'query', 'additionalOperations', 'itemSchema', 'in: querystring']),
  )
  const guide = read('docs/openapi-3.2.md')
  expect(newer.filter((keyword) => !guide.includes(`\`${keyword}\``))).toEqual([])
})
