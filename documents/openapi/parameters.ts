import * as z from 'zod'
import { ANY_STATE } from '../../src/db/port.ts'
import { IDEMPOTENCY_KEY_MAX } from '../../src/domain/limits.ts'
import { API_VERSIONS, CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import { isPublicRead, isRead, problemsOf, takesIdempotencyKey } from '../../src/http/pipeline/route-facts.ts'
import type { Edition } from './edition.ts'
import { referExamples } from './examples.ts'
import { identifierOf, refer } from './references.ts'
import { inlineSchema } from './schemas.ts'
import type { Parameter, Reference, Schema } from './types.ts'

interface RequestHeader {
  description: string
  /**
   * Never has an example. Importers copy an example into every request, and each of these headers changes the response.
   * Importers also copy a default (or, if there is none, a placeholder such as `<string>`). So a default must mean the
   * same as no header. No header has a pattern: Postman's importer would make up a text that matches it, such as a key or
   * a condition, and only `Idempotency-Key` has a value that the service refuses.
   */
  schema: Omit<Schema, 'examples'> & { examples?: never }
  appliesTo(route: Route): boolean
  /**
   * Where the published document declares the header: where an operation is of little use without it. Absent if the
   * document describes the header once, in its introduction (description.ts).
   */
  isPublishedFor?(route: Route): boolean
}

const isConditional = (route: Route) => problemsOf(route).includes('precondition-failed')
const isStream = ({ responses }: Route) => responses[200]?.items !== undefined
const isPartial = ({ responses }: Route) => 206 in responses
const text = { type: 'string' }

/** Registry: the request headers, except those that OpenAPI has dedicated fields for. */
const REQUEST_HEADERS: Readonly<Record<string, RequestHeader>> = {
  'API-Version': {
    description: 'The API version: `2.0.0` (the default) or `1.0.0`. Both behave the same.',
    schema: { type: 'string', enum: API_VERSIONS, default: CURRENT_API_VERSION },
    appliesTo: () => true,
  },
  Prefer: {
    description:
      'Preferences (RFC 7240). `code=503` requests the documented example of the status 503 (not available for files), and changes no data. Add `example=invalid-body` to choose one of several examples. `delay=2` requests the usual response after 2 seconds (at most 10). `drop=response` carries out the request and then closes the connection without a response, `drop=request` only closes it. `slow=2` sends the body over 2 seconds (at most 10), `cut=100` breaks the connection after 100 bytes of it, `label=html` sends JSON under a wrong type, and `violate=type` sends JSON that breaks this document.',
    schema: text,
    appliesTo: () => true,
  },
  'Idempotency-Key': {
    description:
      'A key of your choice, such as a UUID. With it, you can send this request again if you do not know whether the request succeeded. For 24 hours, the same request with the same key does nothing more and gets the first response again. Empty means no key.',
    schema: { ...text, maxLength: IDEMPOTENCY_KEY_MAX },
    appliesTo: takesIdempotencyKey,
    isPublishedFor: takesIdempotencyKey,
  },
  'X-Request-ID': {
    description: 'A UUID for this request. The response repeats it.',
    schema: { ...text, format: 'uuid' },
    appliesTo: () => true,
  },
  'X-D1-Bookmark': {
    description: `The bookmark of an earlier response. The service then uses no older state of the database for this request. \`${ANY_STATE}\`, the default, accepts any state.`,
    schema: { type: 'string', default: ANY_STATE },
    appliesTo: isPublicRead,
  },
  'If-None-Match': {
    description:
      'Entity tags that you have. If one of them matches the current version, the response to a read is 304, and the response to a write is 412.',
    schema: text,
    appliesTo: isConditional,
    isPublishedFor: (route) => isConditional(route) && isRead(route.method),
  },
  'If-Modified-Since': {
    description: 'An HTTP-date. If the resource has not changed since then, the response is 304.',
    schema: text,
    appliesTo: (route) => isConditional(route) && isRead(route.method),
  },
  'If-Match': {
    description:
      'Entity tags that you have read. If none of them matches the current version, the response is 412. `*`, the default, accepts any version.',
    schema: { type: 'string', default: '*' },
    appliesTo: isConditional,
    isPublishedFor: (route) => isConditional(route) && !isRead(route.method),
  },
  'If-Unmodified-Since': {
    description: 'An HTTP-date. If the resource has changed since then, the response is 412.',
    schema: text,
    appliesTo: isConditional,
  },
  'Last-Event-ID': {
    description: 'The id of the last item that you have. All later items are sent first.',
    schema: text,
    appliesTo: isStream,
  },
  Range: {
    description: 'The requested part in bytes, such as `bytes=0-1023`',
    schema: text,
    appliesTo: isPartial,
    isPublishedFor: isPartial,
  },
  'If-Range': {
    description:
      'The entity tag or the date (`Last-Modified`) of the version that you have. If the current one is different, the response contains the whole file instead of the requested part.',
    schema: text,
    appliesTo: isPartial,
  },
}

export function parametersOf(route: Route, { detail }: Edition): Reference[] {
  const headers = Object.entries(REQUEST_HEADERS).filter(([, { appliesTo, isPublishedFor }]) =>
    detail === 'complete' ? appliesTo(route) : isPublishedFor?.(route),
  )
  const path = declaredParameters(route.params).map(([name, schema]) => givenName(schema) ?? name)
  const query = declaredParameters(route.query).map(([name, schema]) => queryComponentName(name, schema))
  const queryString = route.queryString ? [QUERY_STRING] : []
  const names = [...declaredParameters(route.headers), ...headers].map(([name]) => identifierOf(name))
  return [...path, ...query, ...queryString, ...names].map((name) => refer('parameters', name))
}

/**
 * Query parameters whose component has another name than the parameter. `planetId` is also a path parameter with
 * another meaning. Code generators map `lastEventId` and the header `Last-Event-ID` to the same name. They also map
 * `client_id` and the path parameter `clientId` to the same name. API Elements parsers (dredd) reject a component that
 * has the name of one of their own elements, such as `resource`.
 */
const RENAMED_QUERY_PARAMETERS: Readonly<Record<string, string>> = {
  planetId: 'planetIdFilter',
  event: 'eventFilter',
  status: 'statusFilter',
  type: 'typeFilter',
  key: 'keyFilter',
  lastEventId: 'lastEventIdInQuery',
  client_id: 'oauthClientId',
  resource: 'resourceIndicator',
}

/** The name of a parameter that is the whole query of the URL, as in the public document. */
const QUERY_STRING = 'filter'

/** The component name of a query parameter: that of its schema, if other operations have another one of its name. */
function queryComponentName(name: string, schema: z.ZodType): string {
  return givenName(schema) ?? RENAMED_QUERY_PARAMETERS[name] ?? name
}

/** The component name that a schema gives to its parameter, because another parameter has the same name. */
function givenName(schema: z.ZodType): string | undefined {
  const { parameterName } = schema.meta() ?? {}
  return typeof parameterName === 'string' ? parameterName : undefined
}

interface CallHeader {
  description: string
  example: string
  isOptional?: boolean
}

/** Registry: the headers of calls that the service makes to receivers. */
const CALL_HEADERS: Readonly<Record<string, CallHeader>> = {
  'x-signature': {
    description:
      'base64(HMAC-SHA-256(secret, body)) over the exact bytes of the body. The key is the UTF-8 bytes of the whole secret `whsec_…`. Absent if the subscription signs with a private key (`v1a`).',
    example: 'okNRJOJpHC2eyy1/OTpZ3uo8bUwXw2dPF+vTyanGRF8=',
    isOptional: true,
  },
  'x-galaxy-event': { description: 'The name of the event', example: 'planetCreated' },
  'x-galaxy-event-id': {
    description:
      'The id of the event, which is the same on every transport (GET /events/{eventId}). Absent for a ping and for a planet that was rejected.',
    example: '019bc2b8-5a40-7000-a3f1-5c000000152b',
    isOptional: true,
  },
  'webhook-id': {
    description:
      'The id of the message, the same on every attempt (Standard Webhooks). It is signed and contains the name of the event.',
    example: 'msg_planetCreated_5f1d7a3c9b0e4f628d1c7b5a3e9f0d24',
  },
  'webhook-timestamp': {
    description: 'When this attempt was made, in seconds since 1970 (Standard Webhooks)',
    example: '1768487400',
  },
  'webhook-signature': {
    description:
      'Signatures `v1,…` of `id.timestamp.body`, separated by spaces (Standard Webhooks). The key is the part of the secret after `whsec_`, decoded from base64. A subscription with a public key has `v1a,…`, the signature of Ed25519.',
    example: 'v1,EnTuWY4ZsdxQFEwKz5tJAiNWInvEYwsswR1HZUua0ZE=',
  },
}

/** The headers of calls that the service makes, as references. */
export function callParameters(): Reference[] {
  return Object.keys(CALL_HEADERS).map((name) => refer('parameters', callComponentName(name)))
}

/**
 * The component name of a header of calls. Without the prefix, code generators would map `webhook-id` and the path
 * parameter `webhookId` to the same name.
 */
function callComponentName(name: string): string {
  return `call${identifierOf(name)}`
}

/**
 * The parameters of routes and of calls, by name. The same name means the same parameter everywhere.
 *
 * @throws Error if parameters in several places have the same name
 */
export function componentParameters(routes: readonly Route[]): Record<string, Parameter> {
  const path = new Map(routes.flatMap(({ params }) => declaredParameters(params)))
  const ownHeaders = routes.flatMap(({ headers }) => declaredParameters(headers))
  const query = routes.flatMap((route) => declaredParameters(route.query))
  const parameters = [
    ...[...path].map(([name, schema]) => [givenName(schema) ?? name, describeParameter(name, 'path', schema)] as const),
    ...query.map(
      ([name, schema]) => [queryComponentName(name, schema), describeParameter(name, 'query', schema)] as const,
    ),
    ...ownHeaders.map(([name, schema]) => [identifierOf(name), describeParameter(name, 'header', schema)] as const),
  ]
  const queryStrings = routes.flatMap(({ queryString }) =>
    queryString ? [[QUERY_STRING, describeQueryString(queryString)] as const] : [],
  )
  const headers = Object.entries(REQUEST_HEADERS).map(
    ([name, header]) => [identifierOf(name), describeRequestHeader(name, header)] as const,
  )
  const callHeaders = Object.entries(CALL_HEADERS).map(
    ([name, header]) => [callComponentName(name), describeCallHeader(name, header)] as const,
  )
  const all = [...parameters, ...queryStrings, ...headers, ...callHeaders]
  const places = Map.groupBy(all, ([name]) => name)
  for (const [name, same] of places) {
    if (new Set(same.map(([, parameter]) => parameter.in)).size > 1) throw new Error(`several parameters are ${name}`)
  }
  return Object.fromEntries(all)
}

function describeRequestHeader(name: string, { description, schema }: RequestHeader): Parameter {
  return { name, in: 'header', description, required: false, schema }
}

function describeCallHeader(name: string, { description, example, isOptional = false }: CallHeader): Parameter {
  return { name, in: 'header', description, required: !isOptional, schema: { ...text, examples: [example] } }
}

/** Describes the whole query of the URL, which is a document (OpenAPI 3.2, section 4.12.1). */
function describeQueryString(schema: z.ZodType): Parameter {
  const media = { schema: inlineSchema(schema, 'input'), examples: referExamples(schema) }
  return {
    name: QUERY_STRING,
    in: 'querystring',
    description: 'The whole query of the URL: percent-encoded JSON',
    required: false,
    content: { 'application/json': media },
  }
}

/** The parameters that the schema of a path, a query or headers declares, by name. */
function declaredParameters(schema: z.ZodType | undefined): [string, z.ZodType][] {
  return schema instanceof z.ZodObject ? Object.entries(schema.shape) : []
}

/** How a list is sent as one parameter. Otherwise clients repeat the parameter. */
export const COMMA_SEPARATED = { style: 'form', explode: false } as const

/** Describes a parameter of a route. Only one that is required gets an `example`. No parameter of a query is. */
function describeParameter(name: string, place: 'path' | 'query' | 'header', member: z.ZodType): Parameter {
  const { description, parameterName: _, separator, ...schema } = inlineSchema(member, 'input')
  const required = place === 'path' || (place === 'header' && !member.safeParse(undefined).success)
  const parameter = {
    name,
    in: place,
    description: String(description),
    required,
    ...(separator === ',' && COMMA_SEPARATED),
    schema,
  }
  const [example] = Array.isArray(schema.examples) ? schema.examples : []
  return required && example !== undefined ? { ...parameter, example } : parameter
}
