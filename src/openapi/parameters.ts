import { z } from 'zod'
import { ANY_STATE } from '../db/client.ts'
import { CURRENT_EDITION, EDITIONS } from '../http/editions.ts'
import type { Route } from '../http/route.ts'
import { isPublicRead, problemsOf } from '../http/route-facts.ts'
import { refer } from './references.ts'
import { inlineSchema } from './schemas.ts'
import type { Parameter, Reference, Schema } from './types.ts'

/** A request header that some operations heed. */
interface RequestHeader {
  description: string
  /**
   * Never with an example: importers copy it into every request, and each of these headers changes the answer. Importers
   * also copy a default (or, without one, a placeholder such as `<string>`), so a default has to mean the same as no header.
   */
  schema: Omit<Schema, 'examples'> & { examples?: never }
  isHeededBy(route: Route): boolean
}

const isConditional = (route: Route) => problemsOf(route).includes('precondition-failed')
const isRead = (route: Route) => route.method === 'get'
const text = { type: 'string' }

/** THE table of request headers, but for those that OpenAPI has places of its own for. */
const REQUEST_HEADERS: Readonly<Record<string, RequestHeader>> = {
  'API-Version': {
    description:
      'The edition of the interface that is to answer: `2.0.0`, the default, or `1.0.0`. Both behave the same.',
    schema: { type: 'string', enum: EDITIONS, default: CURRENT_EDITION },
    isHeededBy: () => true,
  },
  Prefer: {
    description:
      '`code=503` asks for the documented example of that status (but for files), `example=invalid-body` beside it for one of several, `delay=2` for the usual answer after that many seconds, 10 at most (RFC 7240). A forced answer changes no data.',
    schema: text,
    isHeededBy: () => true,
  },
  'X-Request-ID': {
    description: 'A UUID for this request, which the answer repeats',
    schema: { ...text, format: 'uuid' },
    isHeededBy: () => true,
  },
  'X-D1-Bookmark': {
    description: `The bookmark of an earlier answer: no older state answers this request. \`${ANY_STATE}\`, the default, accepts any state`,
    schema: { type: 'string', default: ANY_STATE },
    isHeededBy: isPublicRead,
  },
  'If-None-Match': {
    description:
      'Entity tags that the caller has. Where one of them is still right, a read is answered with 304, a write with 412',
    schema: text,
    isHeededBy: isConditional,
  },
  'If-Modified-Since': {
    description: 'An HTTP-date: 304 where nothing has changed since',
    schema: text,
    isHeededBy: (route) => isConditional(route) && isRead(route),
  },
  'If-Match': {
    description:
      'Entity tags that the caller has seen: 412 if none of them is right any more. `*`, the default, accepts any state',
    schema: { type: 'string', default: '*' },
    isHeededBy: isConditional,
  },
  'If-Unmodified-Since': {
    description: 'An HTTP-date: 412 where something has changed since',
    schema: text,
    isHeededBy: isConditional,
  },
  Range: {
    description: 'The part that is wanted, in bytes, such as `bytes=0-1023`',
    schema: text,
    isHeededBy: (route) => 206 in route.responses,
  },
  'If-Range': {
    description: 'The entity tag that the part is to be of; the whole is sent where it is another',
    schema: text,
    isHeededBy: (route) => 206 in route.responses,
  },
}

/** The parameters of an operation, as references. */
export function parametersOf(route: Route): Reference[] {
  const headers = Object.entries(REQUEST_HEADERS).filter(([, { isHeededBy }]) => isHeededBy(route))
  const path = membersOf(route.params).map(([name]) => name)
  const query = membersOf(route.query).map(([name]) => keyInQuery(name))
  return [...path, ...query, ...headers.map(([name]) => name)].map((key) => refer('parameters', key))
}

/**
 * Query parameters whose component has another name: `planetId` is also a path parameter, which is not the same thing, and
 * parsers of API Elements (dredd) refuse a component with the name of one of their own elements, such as `resource`.
 */
const NAMESAKES: Readonly<Record<string, string>> = { planetId: 'planetIdFilter', resource: 'resourceIndicator' }

function keyInQuery(name: string): string {
  return NAMESAKES[name] ?? name
}

/** THE table of headers of the calls that the service makes. */
const CALL_HEADERS: Readonly<Record<string, { description: string; example: string }>> = {
  'x-signature': {
    description:
      'base64(HMAC-SHA-256(secret, body)) over the exact bytes of the body, the key being the UTF-8 bytes of the whole secret `whsec_…`',
    example: 'okNRJOJpHC2eyy1/OTpZ3uo8bUwXw2dPF+vTyanGRF8=',
  },
  'x-galaxy-event': { description: 'The name of the event', example: 'planetCreated' },
  'webhook-id': {
    description: 'Id of the message, the same on every attempt (Standard Webhooks). It is signed, and names the event',
    example: 'msg_planetCreated_5f1d7a3c9b0e4f628d1c7b5a3e9f0d24',
  },
  'webhook-timestamp': {
    description: 'When this attempt was made, in seconds since 1970 (Standard Webhooks)',
    example: '1768487400',
  },
  'webhook-signature': {
    description:
      'Signatures `v1,…` of `id.timestamp.body`, separated by spaces, the key being what the part of the secret behind `whsec_` decodes to (Standard Webhooks)',
    example: 'v1,EnTuWY4ZsdxQFEwKz5tJAiNWInvEYwsswR1HZUua0ZE=',
  },
}

/** The headers of a call that the service makes. */
export function callParameters(): Parameter[] {
  return Object.entries(CALL_HEADERS).map(([name, { description, example }]) => ({
    name,
    in: 'header',
    description,
    required: true,
    schema: { ...text, examples: [example] },
  }))
}

/** Every parameter of some routes, by its name: one name means the same everywhere. */
export function componentParameters(routes: readonly Route[]): Record<string, Parameter> {
  const parameters = routes.flatMap((route) => [
    ...membersOf(route.params).map(([name, schema]) => [name, describe(name, 'path', schema)] as const),
    ...membersOf(route.query).map(([name, schema]) => [keyInQuery(name), describe(name, 'query', schema)] as const),
  ])
  const headers = Object.entries(REQUEST_HEADERS).map(([name, header]) => [name, describeHeader(name, header)] as const)
  return Object.fromEntries([...parameters, ...headers])
}

function describeHeader(name: string, { description, schema }: RequestHeader): Parameter {
  return { name, in: 'header', description, required: false, schema }
}

function membersOf(schema: z.ZodType | undefined): [string, z.ZodType][] {
  return schema instanceof z.ZodObject ? Object.entries(schema.shape) : []
}

function describe(name: string, place: 'path' | 'query', member: z.ZodType): Parameter {
  const { description, ...schema } = inlineSchema(member, 'input')
  const parameter = { name, in: place, description: String(description), required: place === 'path', schema }
  const [example] = Array.isArray(schema.examples) ? schema.examples : []
  return place === 'path' && example !== undefined ? { ...parameter, example } : parameter
}
