import type { Parameter, Step, Workflow } from './types.ts'

// What a user does with the service, as workflows. Each can run again and again, in every world, and leaves no planet.

/** The names of the described services (`sourceDescriptions`). */
export const SOURCES = { api: 'galaxy', events: 'events' } as const

/**
 * An account. The first workflow that runs makes it, the others find it. No `format: email`: Redocly's runner knows no
 * formats, and ends at one.
 */
const INPUTS = {
  type: 'object',
  required: ['email', 'password'],
  properties: {
    email: { type: 'string', examples: ['marc@scalar.com'] },
    password: { type: 'string', format: 'password', minLength: 8, examples: ['i-love-scalar'] },
  },
}

const CREDENTIALS = { email: '$inputs.email', password: '$inputs.password' }

/** How often a step asks again until something has happened, and how many seconds it waits before each time. */
const UNTIL = { retryAfter: 1, retryLimit: 30 }

const BEARER: Parameter = { name: 'Authorization', in: 'header', value: 'Bearer {$steps.getToken.outputs.token}' }

const status = (...codes: number[]) => [{ condition: codes.map((code) => `$statusCode == ${code}`).join(' || ') }]
const json = (payload: object) => ({ contentType: 'application/json', payload })
const header = (name: string, value: string): Parameter => ({ name, in: 'header', value })
const query = (name: string, value: string | number): Parameter => ({ name, in: 'query', value })
const planetId = (step: string): Parameter => ({ name: 'planetId', in: 'path', value: `$steps.${step}.outputs.id` })

/** The account and its token. */
const SIGN_IN: readonly Step[] = [
  {
    stepId: 'signUp',
    description: 'Make the account. 409 says that it is there already.',
    operationId: 'createUser',
    requestBody: json(CREDENTIALS),
    successCriteria: status(201, 409),
  },
  {
    stepId: 'getToken',
    description: 'Get a token, which each further request of the account carries.',
    operationId: 'getToken',
    requestBody: json(CREDENTIALS),
    successCriteria: status(201),
    outputs: { token: '$response.body#/token', requestId: '$response.header.X-Request-ID' },
  },
]

/** Makes a planet. @param more Further members of it */
function create(stepId: string, name: string, more: object = {}): Step {
  return {
    stepId,
    description: `Create ${name}.`,
    operationId: 'createPlanet',
    parameters: [BEARER],
    requestBody: json({ name, ...more }),
    successCriteria: status(201),
    outputs: { id: '$response.body#/id', etag: '$response.header.ETag' },
  }
}

function explode(stepId: string, created: string): Step {
  return {
    stepId,
    description: 'Explode the planet, which removes it.',
    operationId: 'explodePlanet',
    parameters: [planetId(created), BEARER],
    successCriteria: status(200),
  }
}

const firstPlanet: Workflow = {
  workflowId: 'firstPlanet',
  summary: 'Create a planet, change it without a lost update, and explode it',
  description:
    'Signs up, gets a token, and creates a planet. A conditional GET finds it unchanged (304). `If-Match` lets a change pass that knows the current version, and refuses one that does not (412). After the explosion the planet is gone (404).',
  inputs: INPUTS,
  steps: [
    ...SIGN_IN,
    create('create', 'Arrakis', { type: 'terrestrial' }),
    {
      stepId: 'readUnchanged',
      description: 'Ask for the planet if it has changed. It has not.',
      operationId: 'getPlanet',
      parameters: [planetId('create'), header('If-None-Match', '$steps.create.outputs.etag')],
      successCriteria: status(304),
    },
    {
      stepId: 'replace',
      description: 'Replace it, if it is still the version that was created.',
      operationId: 'updatePlanet',
      parameters: [planetId('create'), BEARER, header('If-Match', '$steps.create.outputs.etag')],
      requestBody: json({ name: 'Dune', type: 'terrestrial' }),
      successCriteria: status(200),
    },
    {
      stepId: 'replaceTooLate',
      description: 'Do it once more with the old version. The change is refused, so nothing is lost.',
      operationId: 'updatePlanet',
      parameters: [planetId('create'), BEARER, header('If-Match', '$steps.create.outputs.etag')],
      requestBody: json({ name: 'Arrakis', type: 'terrestrial' }),
      successCriteria: status(412),
    },
    explode('explode', 'create'),
    {
      stepId: 'readGone',
      description: 'It does not exist any more.',
      operationId: 'getPlanet',
      parameters: [planetId('create')],
      successCriteria: status(404),
    },
  ],
  outputs: { planetId: '$steps.create.outputs.id' },
}

const FOUND = 'Workflow planet'
const FILTER = [query('name', FOUND), query('sort', 'name')]

const findPlanets: Workflow = {
  workflowId: 'findPlanets',
  summary: 'Find planets by name, sorted, page by page',
  description:
    'Creates two planets, finds them with a filter and an order, and goes on with the cursor of the first page.',
  inputs: INPUTS,
  steps: [
    ...SIGN_IN,
    create('createFirst', `${FOUND} 1`),
    create('createSecond', `${FOUND} 2`),
    {
      stepId: 'firstPage',
      description: 'Get one planet whose name has these words, in the order of the names.',
      operationId: 'getAllData',
      parameters: [...FILTER, query('limit', 1)],
      successCriteria: [...status(200), { condition: `$response.body#/data/0/name == '${FOUND} 1'` }],
      outputs: { cursor: '$response.body#/meta/nextCursor' },
    },
    {
      stepId: 'nextPage',
      description: 'Go on where that page has ended.',
      operationId: 'getAllData',
      parameters: [...FILTER, query('limit', 1), query('cursor', '$steps.firstPage.outputs.cursor')],
      successCriteria: [...status(200), { condition: '$response.body#/data/0/id != null' }],
    },
    explode('explodeFirst', 'createFirst'),
    explode('explodeSecond', 'createSecond'),
  ],
}

const hearBack: Workflow = {
  workflowId: 'hearBack',
  summary: 'Let the service call back when a planet is stored',
  description:
    'Makes an inbox, which receives calls, and creates a planet that names it. The delivery is read until the call has succeeded, and the inbox shows the call.',
  inputs: INPUTS,
  steps: [
    ...SIGN_IN,
    {
      stepId: 'makeInbox',
      description: 'Make an inbox that answers 200.',
      operationId: 'createInbox',
      requestBody: json({}),
      successCriteria: status(201),
      outputs: { id: '$response.body#/id', url: '$response.body#/url' },
    },
    create('create', 'Caladan', { successCallbackUrl: '$steps.makeInbox.outputs.url' }),
    {
      stepId: 'waitForDelivery',
      description: 'Read the delivery until the inbox has answered the call.',
      operationId: 'listDeliveries',
      parameters: [BEARER, query('planetId', '$steps.create.outputs.id')],
      successCriteria: [...status(200), { condition: "$response.body#/data/0/status == 'delivered'" }],
      onFailure: [{ name: 'askAgain', type: 'retry', ...UNTIL }],
      outputs: { messageId: '$response.body#/data/0/messageId' },
    },
    {
      stepId: 'readInbox',
      description: 'Read what the inbox has received.',
      operationId: 'getInbox',
      parameters: [{ name: 'inboxId', in: 'path', value: '$steps.makeInbox.outputs.id' }],
      successCriteria: [...status(200), { condition: '$response.body#/data/0/id != null' }],
    },
    explode('explode', 'create'),
  ],
}

/** The filter of each dress. They find the planet of this workflow, whatever else the world has. */
const SAME = { name: `${FOUND} 3`, limit: 1 }

const threeDresses: Workflow = {
  workflowId: 'threeDresses',
  summary: 'Send one query in three ways: as parameters, as the whole query, and as content',
  description:
    'GET with parameters, GET whose query is JSON (`in: querystring`), and QUERY (RFC 10008) have one answer.',
  inputs: INPUTS,
  steps: [
    ...SIGN_IN,
    create('create', SAME.name),
    {
      stepId: 'asParameters',
      description: 'The filter as parameters in the query.',
      operationId: 'getAllData',
      parameters: [query('name', SAME.name), query('limit', SAME.limit)],
      successCriteria: status(200),
      outputs: { id: '$response.body#/data/0/id', total: '$response.body#/meta/total' },
    },
    {
      stepId: 'asWholeQuery',
      description: 'The same filter as JSON, which is the whole query of the URL.',
      operationId: 'searchPlanets',
      parameters: [{ name: 'query', in: 'querystring', value: JSON.stringify(SAME) }],
      successCriteria: [
        ...status(200),
        { condition: '$response.body#/data/0/id == $steps.asParameters.outputs.id' },
        { condition: '$response.body#/meta/total == $steps.asParameters.outputs.total' },
      ],
    },
    {
      stepId: 'asContent',
      description: 'The same filter as the content of QUERY.',
      operationId: 'queryPlanets',
      requestBody: json(SAME),
      successCriteria: [
        ...status(200),
        { condition: '$response.body#/data/0/id == $steps.asParameters.outputs.id' },
        { condition: '$response.body#/meta/total == $steps.asParameters.outputs.total' },
      ],
    },
    explode('explode', 'create'),
  ],
}

const copyPlanet: Workflow = {
  workflowId: 'copyPlanet',
  summary: 'Copy a planet with the method COPY',
  description: 'Creates a planet, copies it to a new one, and reads the copy. The copy stays when the planet is gone.',
  inputs: INPUTS,
  steps: [
    ...SIGN_IN,
    create('create', 'Caladan', { type: 'super_earth' }),
    {
      stepId: 'copy',
      description: 'Copy it. The service chooses the id of the copy.',
      operationId: 'copyPlanet',
      parameters: [planetId('create'), BEARER, header('Destination', '/planets')],
      successCriteria: status(201),
      outputs: { id: '$response.body#/id' },
    },
    explode('explode', 'create'),
    {
      stepId: 'readCopy',
      description: 'Read the copy.',
      operationId: 'getPlanet',
      parameters: [planetId('copy')],
      successCriteria: [...status(200), { condition: "$response.body#/type == 'super_earth'" }],
    },
    explode('explodeCopy', 'copy'),
  ],
}

const createAndHear: Workflow = {
  workflowId: 'createAndHear',
  summary: 'Create a planet, and hear of it on a WebSocket',
  description:
    'Opens the channel of all celestial bodies, and then creates a planet. The `X-Request-ID` of that request is the correlation id of the event.',
  inputs: INPUTS,
  steps: [
    ...SIGN_IN,
    {
      stepId: 'hear',
      description: 'Receive the event with the id of the request that follows. It waits beside that request.',
      operationId: `$sourceDescriptions.${SOURCES.events}.subscribeToCelestialBodyEvents`,
      action: 'receive',
      parameters: [
        header('Sec-WebSocket-Protocol', 'galaxy.envelope.v1'),
        query('eventTypes', 'celestial_body.created'),
      ],
      correlationId: '$steps.getToken.outputs.requestId',
      timeout: 10_000,
      successCriteria: [{ condition: "$message.payload#/eventType == 'celestial_body.created'" }],
      outputs: { id: '$message.payload#/celestialBody/planet/id' },
    },
    withId(create('create', 'Ix'), '$steps.getToken.outputs.requestId'),
    {
      stepId: 'readHeard',
      description: 'Read the planet that the event is about.',
      operationId: 'getPlanet',
      parameters: [planetId('hear')],
      dependsOn: ['hear'],
      successCriteria: [...status(200), { condition: '$response.body#/id == $steps.create.outputs.id' }],
    },
    explode('explode', 'create'),
  ],
}

/** A step whose request has an id of ours, so that what follows from it can be found. */
function withId(step: Step, id: string): Step {
  return { ...step, parameters: [...(step.parameters ?? []), header('X-Request-ID', id)] }
}

/** Those that need nothing but OpenAPI 3.1. */
export const WORKFLOWS: readonly Workflow[] = [firstPlanet, findPlanets, hearBack]

/** Those that also need OpenAPI 3.2, or AsyncAPI. */
export const NEWER_WORKFLOWS: readonly Workflow[] = [threeDresses, copyPlanet, createAndHear]
