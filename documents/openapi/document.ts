import { ALL_SCHEMES } from '../../src/auth/schemes.ts'
import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { seenInUniverse } from '../../src/domain/example-universe.ts'
import type { World } from '../../src/domain/universe.ts'
import { type ApiVersion, CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import { PREFLIGHT_HEADERS } from '../../src/http/headers.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import { TAGS } from '../../src/http/tags.ts'
import { sortByName } from '../../src/lib/objects.ts'
import { SUBSCRIPTION_EVENTS } from '../../src/schemas/events.ts'
import { DESCRIPTION, OTHER_DOCUMENTS } from './description.ts'
import { type Edition, hasAlready, routesIn } from './edition.ts'
import { schemaExamples } from './examples.ts'
import { sharedLinks } from './links.ts'
import { describeEvent, describeOperation, eventResponses, WEBHOOK_TAG } from './operation.ts'
import { componentParameters } from './parameters.ts'
import { identifierOf, keepUsedComponents, refer, withoutReferences } from './references.ts'
import {
  componentHeaders,
  orPage,
  PROBLEM_NAMES,
  problemExamples,
  problemResponse,
  problemResponses,
  problemSchemas,
  responseHeaders,
  sharedResponses,
  universalHeaders,
} from './responses.ts'
import { componentSchemas, forClients } from './schemas.ts'
import { anySchemeOf, SECURITY_SCHEMES } from './security.ts'
import { SERVERS, UNIVERSE_SERVER } from './servers.ts'
import type { Document, Operation, Parameter, PathItem, Response, Schema } from './types.ts'
import { inOpenApi32 } from './v3-2/document.ts'
import { nameElements } from './xml-names.ts'

/**
 * Creates an OpenAPI document from the routes and schemas. URLs in the document use
 * `EXAMPLE_ORIGIN`. In the document of a universe, this origin stands for the base URL of the universe.
 *
 * @param routes All routes of the current API version. The document of an older version leaves out newer operations
 */
export function describeService(routes: readonly Route[], edition: Edition): Document {
  const described = createDocument(routes, edition)
  const document = edition.openApi === '3.2' ? inOpenApi32(described, routes) : described
  return edition.world === 'universe' ? seenInUniverse(document) : document
}

/** A part of the document of an API version. The pages of version 1.0.0 have no cursors. */
function ofVersion<Part>(apiVersion: ApiVersion, part: Part): Part {
  return apiVersion === CURRENT_API_VERSION ? part : withoutCursors(part)
}

function withoutCursors<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withoutCursors) as Part
  if (typeof part !== 'object' || part === null) return part
  const members = Object.entries(part).filter(([name]) => name !== 'nextCursor' && name !== 'CursorPageMeta')
  const changed = members.map(([name, value]) => [
    name,
    name === '$ref' ? String(value).replace('/CursorPageMeta', '/PageMeta') : withoutCursors(value),
  ])
  // Only members with these names are gone, or renamed.
  return Object.fromEntries(changed) as Part
}

function createDocument(routes: readonly Route[], edition: Edition): Document {
  const { apiVersion, detail } = edition
  const includedRoutes = routesIn(edition, routes)
    .filter((route) => hasAlready(edition, route))
    .map((route) => (apiVersion === CURRENT_API_VERSION ? route : { ...route, ...route.inVersion1 }))
  const paths = ofVersion(apiVersion, describePaths(includedRoutes, edition))
  const webhooks = describeWebhooks(edition)
  const components = ofVersion(apiVersion, allComponents(includedRoutes, edition))
  // A schema has two forms. In the input form, members with a default are optional, and objects can have unknown
  // members unless they are strict. The component schemas that request bodies and whole queries use have the input form.
  // Those that other parts of the document use have the output form. What both use, such as the rules of faults, is
  // closed if requests with unknown members are refused.
  const inputComponents = { examples: components.examples, schemas: componentSchemas('input') }
  const { parameters } = components
  const queries = Object.values(parameters).map(({ content }) => content)
  const usedByRequests = keepUsedComponents(inputComponents, [requestBodiesOf(paths), queries])
  const usedElsewhere = keepUsedComponents({ ...components, parameters: withoutContents(parameters) }, [
    withoutRequestBodies(paths),
    webhooks,
  ])
  const usedParameters = Object.entries(parameters).filter(([name]) => name in usedElsewhere.parameters)
  const { links, ...others } = { ...usedElsewhere, parameters: Object.fromEntries(usedParameters) }
  const sentSchemas = Object.entries(usedElsewhere.schemas).map(
    ([name, schema]) =>
      [name, detail === 'complete' ? schema : describeSent(schema, usedByRequests.schemas[name])] as const,
  )
  // Sorted, so that the order of imports does not change the document.
  const schemas = sortByName({ ...usedByRequests.schemas, ...Object.fromEntries(sentSchemas) })
  return {
    openapi: '3.1.1',
    info: {
      title: apiVersion === CURRENT_API_VERSION ? 'Galaxy' : `Galaxy, version ${apiVersion}`,
      version: apiVersion,
      summary: 'The reference API for people who build API tools and for people who learn HTTP',
      description: apiVersion === CURRENT_API_VERSION ? DESCRIPTION + OTHER_DOCUMENTS : DESCRIPTION,
      contact: { name: 'Galaxy', url: EXAMPLE_ORIGIN },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'Overview of the service', url: EXAMPLE_ORIGIN },
    servers: [...SERVERS],
    security: anySchemeOf(ALL_SCHEMES),
    tags: Object.entries(TAGS)
      .filter(([name]) => name === WEBHOOK_TAG || includedRoutes.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      ...(Object.keys(links).length > 0 && { links }),
      ...others,
      examples: sortByName({ ...usedByRequests.examples, ...usedElsewhere.examples }),
      schemas: nameElements(schemas, [paths, usedElsewhere.responses]),
    },
    ...(detail === 'complete' && { 'x-galaxy-everywhere': describeEverywhere(components, edition) }),
    'x-speakeasy-webhooks': {
      security: {
        type: 'signature',
        headerName: 'x-signature',
        signatureTextEncoding: 'base64',
        algorithm: 'hmac-sha256',
      },
    },
  }
}

/**
 * The schema of something that the service sends, for clients.
 *
 * @param requested Its form in requests; undefined if no request has it
 */
function describeSent(schema: Schema, requested: Schema | undefined): Schema {
  const isClosed = requested?.additionalProperties === false
  return { ...forClients(schema), ...(isClosed && { additionalProperties: false }) }
}

/** All components that a document may refer to. `keepUsedComponents` later removes the unused ones. */
function allComponents(routes: readonly Route[], edition: Edition) {
  const schemas = componentSchemas('output')
  return {
    parameters: componentParameters(routes),
    headers: componentHeaders(),
    responses: {
      ...problemResponses(routes, edition),
      ...sharedResponses(routes, edition),
      ...eventResponses(),
    },
    examples: { ...problemExamples(), ...schemaExamples(schemas) },
    links: sharedLinks(routes),
    schemas: { ...schemas, ...problemSchemas() },
  }
}

/**
 * The responses that belong to no operation. OpenAPI has no place for such responses, so they are in an extension. Some
 * tools remove unused components, and do not look for references in extensions. So the extension refers only to headers
 * that every operation also refers to. All other components are copied into the extension.
 */
function describeEverywhere(components: ReturnType<typeof allComponents>, edition: Edition): unknown {
  const options: Response = {
    description:
      'The response to OPTIONS: the methods of the path or, for a preflight request, the methods and headers that a page can send',
    headers: responseHeaders(['Allow', 'Accept-Patch', ...PREFLIGHT_HEADERS], edition),
  }
  const toPage: Response = {
    description: 'The redirect from an HTML page with a slash at its end to the page',
    headers: responseHeaders(['Location'], edition),
  }
  const problems = ([405, 410, 500] as const).map(
    (status) => [status, refer('responses', PROBLEM_NAMES[status].response)] as const,
  )
  const nothing = orPage(problemResponse(404, [], edition), edition)
  const universal = universalHeaders(edition).map(identifierOf)
  const copiedHeaders = Object.fromEntries(
    Object.entries(components.headers).filter(([name]) => !universal.includes(name)),
  )
  return {
    description:
      'The responses to OPTIONS on every path, to methods that a path does not support, and to requests on unknown paths, which include pages with a slash at the end. Every request to a universe that has ended gets 410. Callers that prefer `text/html` get the 404 of an unknown path and that 410 as a page. On the paths of HTML pages, these responses have no Access-Control headers.',
    responses: withoutReferences(
      { 204: options, 308: toPage, 404: nothing, ...Object.fromEntries(problems) },
      { ...components, headers: copiedHeaders },
    ),
  }
}

/** The events of subscriptions. The document of version 1.0.0 has no ping. */
function describeWebhooks({ apiVersion }: Edition): Record<string, PathItem> {
  const { ping, ...subscribed } = SUBSCRIPTION_EVENTS
  const security = anySchemeOf(ALL_SCHEMES)
  const items = Object.entries(subscribed).map(([name, event]) => [name, describeEvent(name, event, security)] as const)
  // Generators put `Webhook` behind a name, and `pingWebhook` is an operation.
  const name = 'subscriptionPing'
  const pingItem = apiVersion === CURRENT_API_VERSION ? { [name]: describeEvent(name, ping, security) } : {}
  return { ...Object.fromEntries(items), ...pingItem }
}

function describePaths(routes: readonly Route[], edition: Edition): Record<string, PathItem> {
  const items = Map.groupBy(routes, ({ path }) => path)
  return Object.fromEntries(
    [...items].map(([path, group]) => {
      const operations = group.map((route): [string, Operation] => {
        const operation = describeOperation(route, edition)
        return [
          route.method,
          isMissingIn(edition.world, route) ? { ...operation, servers: [UNIVERSE_SERVER] } : operation,
        ]
      })
      // OpenAPI 3.2 knows better (v3-2/). The complete document, which nobody is sent, has a field for every method.
      return [path, Object.fromEntries(operations)]
    }),
  )
}

/**
 * Whether a kind of world lacks a route. The common world lacks the routes that only universes have, but its document
 * describes them, too.
 */
function isMissingIn(world: World, route: Route): boolean {
  return route.world !== undefined && route.world !== world
}

function requestBodiesOf(paths: Document['paths']): unknown[] {
  return operationsOf(paths).map(({ requestBody }) => requestBody)
}

function withoutRequestBodies(paths: Document['paths']): unknown[] {
  return operationsOf(paths).map(({ requestBody: _, ...otherMembers }) => otherMembers)
}

function withoutContents(parameters: Readonly<Record<string, Parameter>>): Record<string, Parameter> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { content: _, ...parameter }]) => [name, parameter] as const),
  )
}

function operationsOf(paths: Document['paths']): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item))
}
