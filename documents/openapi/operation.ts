import * as z from 'zod'
import type { BodyReader, PartTypes } from '../../src/http/body/reader.ts'
import { ALL_FORMATS, FORMATS } from '../../src/http/pipeline/formats.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import { usualStatusOf } from '../../src/http/pipeline/route-facts.ts'
import type { TagName } from '../../src/http/tags.ts'
import { CALLBACK_EVENTS, type EventSpec, SUBSCRIPTION_EVENTS } from '../../src/schemas/events.ts'
import type { Edition } from './edition.ts'
import { referExamples } from './examples.ts'
import { COMMA_SEPARATED, callParameters, parametersOf } from './parameters.ts'
import { refer } from './references.ts'
import { documentContent, problemsOfOperation, successesOfOperation } from './responses.ts'
import { inlineSchema } from './schemas.ts'
import { securityOf } from './security.ts'
import type { MediaType, Operation, PathItem } from './types.ts'

/** Generators write one file for each tag, so webhooks share none with operations. */
export const WEBHOOK_TAG = 'Webhooks'

export function describeOperation(route: Route, edition: Edition): Operation {
  const callbacks = callbacksOf(route)
  return {
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    operationId: route.operationId,
    ...(route.deprecated && { deprecated: true }),
    security: securityOf(route),
    parameters: parametersOf(route, edition),
    ...(route.body && { requestBody: describeBody(route.body) }),
    // A page declares its own 404, also where there is no universe.
    responses: { ...problemsOfOperation(route, edition), ...successesOfOperation(route, edition) },
    ...(callbacks.length > 0 && {
      callbacks: Object.fromEntries(
        callbacks.map(({ name, url, event }) => [
          name,
          { [url]: describeEvent(eventOperationId(name, route), event, [], route.tag) },
        ]),
      ),
    }),
    'x-post-response': describeTests(String(usualStatusOf(route)), hasResponseBody(route)),
    ...route.hints,
  }
}

/** The events that an operation causes, with the URL expressions that they are sent to. */
function callbacksOf({ operationId }: Route): { name: string; url: string; event: EventSpec }[] {
  return Object.entries(CALLBACK_EVENTS).flatMap(([name, event]) => {
    const url = new Map(Object.entries(event.urls)).get(operationId)
    return url === undefined ? [] : [{ name, url, event }]
  })
}

function hasResponseBody({ responses }: Route): boolean {
  return Object.values(responses).some(({ schema, files }) => schema !== undefined || files !== undefined)
}

function firstStatusOf(responses: object): string {
  return Object.keys(responses)[0] ?? ''
}

/** Tests that Postman-like API clients run after a call. */
function describeTests(status: string, hasBody: boolean): string {
  const statusTest = `pm.test("The status is ${status}", () => {\n  pm.response.to.have.status(${status});\n});\n`
  const bodyTest = `pm.test("The response has a Content-Type", () => {\n  pm.response.to.have.header("Content-Type");\n});\n`
  return hasBody ? statusTest + bodyTest : statusTest
}

function describeBody({ documented }: BodyReader<unknown>): NonNullable<Operation['requestBody']> {
  const { required, description, schema, mediaTypes, others = {}, partTypes } = documented
  const contents = Object.entries(others).map(([mediaType, other]) => requestContent(other, [mediaType]))
  const content = partTypes
    ? Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, describeParts(schema, partTypes)]))
    : Object.assign(requestContent(schema, mediaTypes), ...contents)
  return { ...(description && { description }), required, content }
}

/**
 * The content of a request body. Documents have examples in each format. Patches have the examples of their schema.
 * Other bodies only have a schema.
 */
function requestContent(schema: z.ZodType, mediaTypes: readonly string[]): Record<string, MediaType> {
  const formats = ALL_FORMATS.filter((name) => mediaTypes.includes(FORMATS[name].mediaType))
  if (formats.length > 0) return documentContent(schema, formats, 'input')
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, describeContent(schema, mediaType)]))
}

function describeContent(schema: z.ZodType, mediaType: string): MediaType {
  return {
    schema: inlineSchema(schema, 'input'),
    ...encodingOf(schema),
    ...(/[/+]json$/.test(mediaType) && { examples: referExamples(schema) }),
  }
}

/** A body of parts, by their positions (OpenAPI 3.2, section 4.14.3). */
function describeParts(schema: z.ZodType, { first, others }: PartTypes): MediaType {
  return {
    schema: inlineSchema(schema, 'input'),
    prefixEncoding: first.map((contentType) => ({ contentType })),
    itemEncoding: { contentType: others.join(', ') },
  }
}

/** The members of a form that are lists in one field. */
function encodingOf(schema: z.ZodType): Pick<MediaType, 'encoding'> {
  const members = schema instanceof z.ZodObject ? Object.entries<z.ZodType>(schema.shape) : []
  const separated = members.filter(([, member]) => member.meta()?.separator === ',')
  return separated.length > 0
    ? { encoding: Object.fromEntries(separated.map(([name]) => [name, COMMA_SEPARATED])) }
    : {}
}

/**
 * The operation id of an event that an operation causes. Ids must be unique. So for the first operation that causes the
 * event, the id is the name of the event. For every other operation, it also names the operation, such as
 * `planetExplodedAfterExplodePlanet`.
 */
function eventOperationId(event: string, { operationId }: Route): string {
  const urlsByOperation = new Map(Object.entries(CALLBACK_EVENTS)).get(event)?.urls ?? {}
  const [firstOperation] = Object.keys(urlsByOperation)
  if (firstOperation === operationId) return event
  return `${event}After${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`
}

/** The documented responses of receivers to calls from the service, by component name. */
export function eventResponses(): Record<string, { description: string }> {
  const replies = Object.values({ ...CALLBACK_EVENTS, ...SUBSCRIPTION_EVENTS }).flatMap((event: EventSpec) =>
    Object.values(event.replies),
  )
  return Object.fromEntries(replies.map(({ component, description }) => [component, { description }]))
}

/**
 * Describes a call that the service makes to a receiver.
 *
 * @param security How the call can authenticate itself. Empty for a callback URL, because only subscriptions store
 * credentials for their receivers (`ReceiverAuth`)
 */
export function describeEvent(
  operationId: string,
  event: EventSpec,
  security: Operation['security'],
  tag: TagName = WEBHOOK_TAG,
): PathItem {
  const [example] = Object.values(referExamples(event.payload))
  const replies = Object.entries(event.replies).map(([status, { component }]) => [
    status,
    refer('responses', component),
  ])
  return {
    post: {
      tags: [tag],
      summary: event.summary,
      description: event.description,
      operationId,
      security,
      parameters: callParameters(),
      requestBody: {
        description: event.summary,
        required: true,
        content: {
          'application/json': {
            schema: inlineSchema(event.payload, 'output'),
            ...(example && { examples: { example } }),
          },
        },
      },
      responses: Object.fromEntries(replies),
      'x-post-response': describeTests(firstStatusOf(event.replies), false),
    },
  }
}
