/** Registry: the tags, which group the operations in the documentation. */
export const TAGS = {
  Authentication:
    'Some endpoints are public, but some require authentication. With these operations, you create an account and authenticate yourself.',
  Planets: 'Everything about planets',
  'Celestial Bodies': 'Everything that drifts through the void: planets, satellites and stars',
  Callbacks:
    'How the service calls you: signing secrets, subscriptions, the log of every attempt, and inboxes for testing',
  Webhooks: 'The calls that the service makes to the URLs of subscriptions (POST /webhooks)',
  Events:
    'Live events: the log of events, a stream of the events of planets, and events on demand. /asyncapi.json describes the events and the WebSockets on which they arrive.',
  OAuth:
    'The OAuth 2.0 and OpenID Connect provider: how an application gets tokens for a user without ever seeing a password',
  Universes:
    'Worlds of your own with the same API at another base URL: you can change everything in them, reset them, and end them',
  Laboratory:
    'An acid test for API clients: cases that judge what a client sends and reads, and runs that keep the verdicts. Each bench has an OpenAPI document of its cases.',
  Documents: 'Information about the service: its OpenAPI document, its API reference, its problem types and its keys',
} as const

export type TagName = keyof typeof TAGS

/** Further tags, with which OpenAPI 3.2 also marks operations (openapi/v3-2/tags.ts). */
export type Label = 'Streaming' | 'Beta' | 'Partners'
