import { z } from 'zod'
import { DateTime, Id, idInPath, list, Moment, text } from './fields.ts'
import { pageOf } from './page.ts'
import { KEY_SCOPES } from './scopes.ts'

const EXAMPLE = {
  id: 1,
  name: 'Build server',
  preview: 'glx_3f9a1c',
  scopes: ['read:planets', 'write:planets'],
  createdAt: '2026-01-15T14:30:00.000Z',
}

const name = text(1, 200).meta({ description: 'What you call it', examples: [EXAMPLE.name] })
const EXPIRY = {
  description: 'When it stops working, before the year 10000; absent for never',
  examples: ['2030-01-01T00:00:00Z'],
}
const scopes = list(z.enum(KEY_SCOPES), KEY_SCOPES.length).meta({ description: 'What it may be used for' })

/** What a client says of a key that it wants. An unknown member may be a misspelt restriction, so it is refused. */
export const ApiKeyInput = z
  .strictObject({
    name: name.optional(),
    scopes: scopes
      .refine((value) => value.length > 0, 'must have at least one item')
      .meta({
        minItems: 1,
        description: 'What it may be used for: at most what the caller may; all of that where absent',
      })
      .optional(),
    expiresAt: Moment.meta(EXPIRY).optional(),
  })
  .meta({
    id: 'ApiKeyInput',
    description: 'An API key to be made',
    xml: { name: 'apiKey' },
    examples: [{ name: EXAMPLE.name, scopes: EXAMPLE.scopes }],
  })

/** A key as its owner sees it: never the key itself. */
export const ApiKey = z
  .object({
    id: Id,
    name: name.optional(),
    preview: z.string().meta({ description: 'How the key begins', examples: [EXAMPLE.preview] }),
    scopes,
    createdAt: DateTime,
    expiresAt: DateTime.meta(EXPIRY).optional(),
    lastUsedAt: DateTime.meta({ description: 'When it was last used, to the minute; absent for never' }).optional(),
  })
  .meta({ id: 'ApiKey', description: 'An API key', xml: { name: 'apiKey' }, examples: [EXAMPLE] })

export const NewApiKey = ApiKey.extend({
  key: z.string().meta({ description: 'The key. It is not shown again', examples: [`glx_${'3f9a1c'.repeat(8)}`] }),
}).meta({
  id: 'NewApiKey',
  description: 'An API key that was just made, with the key itself',
  xml: { name: 'apiKey' },
  examples: [{ ...EXAMPLE, key: `glx_${'3f9a1c'.repeat(8)}` }],
})

export const ApiKeyPage = pageOf(ApiKey).meta({
  id: 'ApiKeyPage',
  description: 'A page of API keys, in the order of their ids',
  xml: { name: 'apiKeys' },
  examples: [{ data: [EXAMPLE], meta: { limit: 10, offset: 0, total: 1, next: null } }],
})

export type ApiKey = z.infer<typeof ApiKey>
export type ApiKeyInput = z.infer<typeof ApiKeyInput>

/** The path parameter of a key. */
export const ApiKeyPath = z.object({ keyId: idInPath('The id of the key') })
