import { ALL_SCHEMES } from '../../src/auth/schemes.ts'
import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import { TAGS } from '../../src/http/tags.ts'
import type { Edition } from '../openapi/edition.ts'
import type { Schema } from '../openapi/types.ts'
import { describeChannels } from './channels.ts'
import { DESCRIPTION } from './description.ts'
import { channelMessages } from './messages.ts'
import { describeOperations } from './operations.ts'
import { usedSchemas, withPublicNames } from './schemas.ts'
import { securitySchemes } from './security.ts'
import { SERVERS } from './servers.ts'
import type { AsyncDocument, ChannelParameter } from './types.ts'

/**
 * Creates the AsyncAPI document from the catalogue of events and their schemas. URLs in the document use
 * `EXAMPLE_ORIGIN`, and servers have placeholders instead of hosts. `eventDocumentAt` replaces both. All worlds have
 * the same channels, so one document is enough.
 */
export function describeEvents(detail: Edition['detail']): AsyncDocument {
  const messages = channelMessages()
  const components = {
    securitySchemes: securitySchemes(),
    parameters: PARAMETERS,
    operationTraits: OPERATION_TRAITS,
    messageTraits: MESSAGE_TRAITS,
    messages: Object.fromEntries(messages.map(({ message }) => [message.name, message])),
  }
  return withPublicNames({
    asyncapi: '3.0.0',
    id: `${EXAMPLE_ORIGIN}/asyncapi.json`,
    info: INFO,
    servers: SERVERS,
    defaultContentType: 'application/json',
    channels: describeChannels(messages),
    operations: describeOperations(messages),
    components: { ...components, schemas: usedSchemas(components, detail) },
  })
}

const INFO: Schema = {
  title: 'Galaxy events',
  version: CURRENT_API_VERSION,
  description: DESCRIPTION,
  contact: { name: 'Galaxy', url: EXAMPLE_ORIGIN },
  license: { name: 'MIT', url: 'https://opensource.org/license/MIT' },
  tags: [
    { name: 'Planets', description: 'Events of one planet, and requests for planets' },
    { name: 'Users', description: 'What happens to your own account' },
    { name: 'Celestial Bodies', description: TAGS['Celestial Bodies'] },
    { name: 'System', description: 'News of the service, and acknowledgements of subscriptions' },
  ],
  externalDocs: { description: 'The channels, and a form to connect to them', url: `${EXAMPLE_ORIGIN}/docs/events` },
}

const PARAMETERS: Readonly<Record<'planetId' | 'userId', ChannelParameter>> = {
  planetId: {
    description: 'The ID of the planet',
    default: '1',
    examples: ['1', '4'],
    location: '$message.payload#/planet/id',
  },
  userId: {
    description: 'The ID of the user: your own',
    examples: ['1'],
    location: '$message.payload#/user/id',
  },
}

const OPERATION_TRAITS: Readonly<Record<string, Schema>> = {
  authenticated: {
    description: 'Needs credentials. They are part of the request for the upgrade.',
    security: ALL_SCHEMES.map((name) => ({ $ref: `#/components/securitySchemes/${name}` })),
    tags: [{ name: 'Authentication', description: 'Operations that need credentials' }],
  },
  rateLimited: {
    description:
      'Each user can have a limited number of open sockets and streams. Without credentials, the limit is for each client address. Beyond the limit, the service refuses the upgrade with 429.',
    tags: [{ name: 'Rate Limiting', description: 'Operations whose sockets are limited' }],
  },
}

const MESSAGE_TRAITS: Readonly<Record<string, Schema>> = {
  commonHeaders: {
    headers: {
      type: 'object',
      description: 'Only with the subprotocol `galaxy.envelope.v1`, which sends `{headers, payload}`',
      required: ['correlationId'],
      properties: {
        correlationId: {
          type: 'string',
          format: 'uuid',
          description: 'For an event, its `metadata.correlationId`. For a reply, the correlation id of the request',
        },
        'x-request-id': {
          type: 'string',
          description: 'For an event, its `metadata.requestId`. For a reply, the id of the request',
        },
      },
    },
    correlationId: {
      location: '$message.header#/correlationId',
      description: 'Relates a reply to its request, and the events of one request to one another',
    },
  },
}
