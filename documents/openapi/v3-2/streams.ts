import { writeStreamItem } from '../../../src/features/live/event-stream.ts'
import { membersOf } from '../../../src/lib/objects.ts'
import { PlanetStreamItem } from '../../../src/schemas/live/stream-item.ts'
import { refer } from '../references.ts'
import type { Document, MediaType, Schema } from '../types.ts'

// The items of streams. OpenAPI 3.2 describes one item at a time (`itemSchema`, section 4.14.4).

/** The name of the items in the public document. OpenAPI 3.1 has the older name. */
const ITEM = 'PlanetEvent'
const OLDER_NAME = String(PlanetStreamItem.meta()?.id)

/** The document with the name of the public document for the items of streams. */
export function withStreamNames(document: Document): Document {
  const text = JSON.stringify(document).replaceAll(
    `"${refer('schemas', OLDER_NAME).$ref}"`,
    `"${refer('schemas', ITEM).$ref}"`,
  )
  const renamed: Document = JSON.parse(text)
  const schemas = Object.entries(renamed.components.schemas).map(
    ([name, schema]) => [name === OLDER_NAME ? ITEM : name, schema] as const,
  )
  return { ...renamed, components: { ...renamed.components, schemas: Object.fromEntries(schemas) } }
}

const retry = {
  type: 'integer',
  minimum: 0,
  maximum: 2 ** 31 - 1,
  description: 'How many milliseconds to wait before connecting again. Only the first item has it.',
}

/** `data` of a server-sent event is a text. JSON Schema says what the text contains. */
function jsonText(name: string): Schema {
  return { type: 'string', contentMediaType: 'application/json', contentSchema: refer('schemas', name) }
}

/** The items of server-sent events, as readers get them: without comments, and with `data` as a text. */
export const STREAM_SCHEMAS: Readonly<Record<string, Schema>> = {
  ServerSentPlanetEvent: {
    type: 'object',
    description: 'A server-sent event that tells of a planet',
    required: ['id', 'event', 'data'],
    properties: {
      id: { type: 'string', format: 'uuid', description: 'The `id` of the item in `data`' },
      event: refer('schemas', 'PlanetStreamEvent'),
      data: jsonText(ITEM),
      retry,
    },
  },
  ServerSentGap: {
    type: 'object',
    description: 'A server-sent event that says that events may be missing before the next one',
    required: ['event', 'data'],
    properties: { event: { type: 'string', const: 'gap' }, data: jsonText('StreamGap'), retry },
  },
  StreamGap: {
    type: 'object',
    description: 'The event that the log does not have any more',
    required: ['lastEventId'],
    properties: { lastEventId: { type: 'string' } },
  },
}

/** @param media Its schema has the items as `contentSchema`, which is how OpenAPI 3.1 describes them */
export function describeStream(mediaType: string, { schema }: MediaType): MediaType {
  const example = Object(PlanetStreamItem.meta()?.examples)[0]
  const isServerSent = mediaType === 'text/event-stream'
  const parsed = isServerSent ? { id: example.id, event: example.event, data: JSON.stringify(example) } : example
  return {
    itemSchema: isServerSent
      ? { anyOf: [refer('schemas', 'ServerSentPlanetEvent'), refer('schemas', 'ServerSentGap')] }
      : membersOf(schema?.contentSchema),
    examples: {
      example1: { dataValue: [parsed], serializedValue: writeStreamItem(mediaType, JSON.stringify(example)) },
    },
  }
}

export function isStream({ schema }: MediaType): boolean {
  return schema?.contentSchema !== undefined
}
