import * as z from 'zod'
import { doc } from '#doc'
import { EXAMPLE_AHEAD } from '../domain/example-times.ts'
import { KEY_SCOPES } from '../domain/scopes.ts'
import { DateTime, Id, idParameter, list, Moment, text } from './fields.ts'
import { pageOf } from './page.ts'

const EXAMPLE = {
  id: 1,
  name: 'Build server',
  preview: 'glx_3f9a1c',
  scopes: ['read:planets', 'write:planets'],
  createdAt: '2026-01-15T14:30:00.000Z',
}

const EXAMPLE_KEY = `glx_${'3f9a1c'.repeat(8)}`

const name = text(1, 200).meta({ description: doc('Your name for the key'), examples: [EXAMPLE.name] })
const EXPIRY = {
  description: doc(
    'When the key expires: a time after its creation and before the year 10000. Absent if the key never expires.',
  ),
  examples: [EXAMPLE_AHEAD],
}
const KeyScope = z.enum(KEY_SCOPES).meta({ id: 'KeyScope', description: doc('A scope that an API key can have') })
const scopes = list(KeyScope, KEY_SCOPES.length).meta({ description: doc('The scopes of the key') })

/** An unknown member is rejected, because it may be a misspelt restriction. */
export const ApiKeyInput = z
  .strictObject({
    name: name.optional(),
    scopes: scopes
      .refine((value) => value.length > 0, 'must have at least one item')
      .meta({
        minItems: 1,
        description: doc(
          'The scopes of the key. You can only name scopes that the credential of this request has. If absent, the key gets all scopes of that credential.',
        ),
      })
      .optional(),
    expiresAt: Moment.meta(EXPIRY).optional(),
  })
  .meta({
    id: 'ApiKeyInput',
    description: doc('An API key to create'),
    xml: { name: 'apiKey' },
    examples: [{ name: EXAMPLE.name, scopes: EXAMPLE.scopes }],
  })

/** A key as its owner sees it, without the key itself. */
export const ApiKey = z
  .object({
    id: Id,
    name: name.optional(),
    preview: z.string().meta({ description: doc('The beginning of the key'), examples: [EXAMPLE.preview] }),
    scopes,
    createdAt: DateTime,
    expiresAt: DateTime.meta(EXPIRY).optional(),
    lastUsedAt: DateTime.meta({
      description: doc('When the key was last used, to the minute. Absent if it was never used.'),
    }).optional(),
  })
  .meta({ id: 'ApiKey', description: doc('An API key'), xml: { name: 'apiKey' }, examples: [EXAMPLE] })

/** No other response contains the key itself. */
export const CreatedApiKey = ApiKey.extend({
  key: z.string().meta({ description: doc('The key. It is not shown again.'), examples: [EXAMPLE_KEY] }),
}).meta({
  id: 'CreatedApiKey',
  description: doc('A new API key, with the key itself'),
  xml: { name: 'apiKey' },
  examples: [{ ...EXAMPLE, key: EXAMPLE_KEY }],
})

export const ApiKeyPage = pageOf(ApiKey).meta({
  id: 'ApiKeyPage',
  description: doc('A page of API keys in order of id'),
  xml: { name: 'apiKeys' },
  examples: [{ data: [EXAMPLE], meta: { limit: 10, offset: 0, total: 1, next: null } }],
})

export type ApiKey = z.infer<typeof ApiKey>
export type ApiKeyInput = z.infer<typeof ApiKeyInput>

export const ApiKeyPath = z.object({ keyId: idParameter(doc('The id of the key')) })
