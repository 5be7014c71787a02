import { EXAMPLE_ORIGIN } from '../../../src/domain/example-origin.ts'
import type { Route } from '../../../src/http/pipeline/route.ts'
import { membersOf, sortByName } from '../../../src/lib/objects.ts'
import { operationsIn, pathItemOf } from '../path-item.ts'
import { keepUsedComponents } from '../references.ts'
import { DEVICE_FLOW } from '../security.ts'
import { ECHO, SERVICE, UNIVERSE_SERVER } from '../servers.ts'
import type { Document, Operation, Schema, Server } from '../types.ts'
import { withKindsOfBodies } from './celestial-body.ts'
import { describeContents } from './contents.ts'
import { STREAM_SCHEMAS, withStreamNames } from './streams.ts'
import { operationTags, tagsOf } from './tags.ts'
import { withNodeTypes } from './xml.ts'

// Says in OpenAPI 3.2 what 3.1 cannot say. The document in 3.1 is the source, so both describe the same service.

/** The names of the servers (OpenAPI 3.2, section 4.6). The first two are those of the public document. */
const SERVER_NAMES: ReadonlyMap<string, string> = new Map([
  [SERVICE.url, 'production'],
  [ECHO.url, 'mirror'],
  [UNIVERSE_SERVER.url, 'universe'],
])

/**
 * Turns the description of a service into OpenAPI 3.2.
 *
 * @param document In OpenAPI 3.1, but with the operations that only 3.2 can describe
 * @param routes The operations of the document
 */
export function inOpenApi32(document: Document, routes: readonly Route[]): Document {
  const { components, paths, ...others } = describeContents(withStreamNames(document))
  const { securitySchemes, ...shared } = components
  const items = Object.entries(paths).map(([path, item]) => [
    path,
    pathItemOf(operationsIn(item).map(([method, operation]) => [method, describeOperation(operation, routes)])),
  ])
  const described: Document['paths'] = Object.fromEntries(items)
  const schemas = sortByName(withKindsOfBodies({ ...components.schemas, ...STREAM_SCHEMAS }))
  const parts = [described, others.webhooks, others['x-galaxy-everywhere']]
  return {
    ...others,
    openapi: '3.2.0',
    servers: others.servers.map(withName),
    tags: tagsOf([...Object.values(described), ...Object.values(others.webhooks)]),
    paths: described,
    components: {
      securitySchemes: describeSchemes(securitySchemes),
      ...keepUsedComponents({ ...shared, schemas: withNodeTypes(schemas, [described, components.responses]) }, parts),
    },
  }
}

/** Adds the address of the document itself, directly after the version (OpenAPI 3.2, section 4.1). */
export function withSelf({ openapi, ...others }: Document, path: string): Document {
  return { openapi, $self: EXAMPLE_ORIGIN + path, ...others }
}

function describeOperation({ servers, ...operation }: Operation, routes: readonly Route[]): Operation {
  const route = routes.find(({ operationId }) => operationId === operation.operationId)
  return {
    ...operation,
    tags: route ? operationTags(route) : operation.tags,
    ...(servers && { servers: servers.map(withName) }),
  }
}

function withName({ url, ...others }: Server): Server {
  const name = SERVER_NAMES.get(url)
  return { url, ...(name !== undefined && { name }), ...others }
}

/**
 * Adds the device flow (OpenAPI 3.2, section 4.28) and the address of the metadata of OAuth. Says that nobody should
 * send a key in a query, because URLs are logged.
 */
function describeSchemes(schemes: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const metadata = { oauth2MetadataUrl: `${EXAMPLE_ORIGIN}/.well-known/oauth-authorization-server` }
  const entries = Object.entries(schemes).map(([name, scheme]) => {
    if (scheme.type === 'oauth2') {
      return [name, { ...scheme, flows: { ...membersOf(scheme.flows), ...DEVICE_FLOW }, ...metadata }] as const
    }
    const isInQuery = scheme.type === 'apiKey' && scheme.in === 'query'
    return [name, isInQuery ? { ...scheme, deprecated: true } : scheme] as const
  })
  return Object.fromEntries(entries)
}
