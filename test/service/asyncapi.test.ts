import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import publicDocument from '@scalar/galaxy/asyncapi/3.0.json' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { compareEvents } from '../support/async-superset.ts'

const TEXT = readFileSync(join(ROOT, 'documents/out/asyncapi.json'), 'utf8')

/** What the public document says and ours does not, and why. */
const ACCEPTED = [
  [/^(?:id|info\.(?:version|contact|externalDocs|tags)).*/, 'each service describes itself'],
  [/^servers\./, 'this service is one server, with two versions'],
  [
    /^components\.securitySchemes\.(?:httpApiKey|oauth2)$/,
    'the security schemes have the names that they have in OpenAPI',
  ],
  [
    /^components\.securitySchemes\.(?:userPassword|scramSha256|cert|kerberos)Auth$|\.payloadEncryption$/,
    'there is no broker',
  ],
  [
    /^operations\.(?:subscribeToPlanetEvents|getPlanet)\.traits\[\]: .*\/authenticated$/,
    'planets are public, so their channels need no credentials',
  ],
  [/^operations\.getPlanet\.reply\.address$/, 'the reply comes on the socket that asks'],
  [
    /^(?:operations|components\.messages)\.\w+\.bindings$/,
    'these bindings have no members (WebSockets Bindings 0.1.0)',
  ],
  [/^components\.operationTraits\.rateLimited\.bindings$/, 'sockets are limited, not requests on them'],
  [/^components\.parameters\.userId\.enum/, 'there are other users, too'],
  [/\.readOnly: true$/, 'an event is only ever read'],
  [/\.nullable: true$/, 'what is null is left out'],
  [/\.format: "float"$/, 'numbers are doubles, whose digits float would lose'],
] as const

describe('it is a superset of the public document', () => {
  const missing = compareEvents(publicDocument, JSON.parse(TEXT))

  it('except for accepted differences', () => {
    expect(missing.filter((feature) => !ACCEPTED.some(([pattern]) => pattern.test(feature)))).toEqual([])
  })

  it.each(ACCEPTED)('%s: %s', (pattern) => {
    expect(missing.filter((feature) => pattern.test(feature))).not.toEqual([])
  })
})
