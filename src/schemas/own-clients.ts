import * as z from 'zod'
import { doc } from '#doc'
import { AuthenticationMethod, RegisteredUri } from './client.ts'
import { DateTime } from './fields.ts'
import { pageOf } from './page.ts'

// OAuth from a user's point of view: the clients that the user owns, and the grants and consents that the user gave.
// The prefix `Own` says that they belong to the user who makes the request.

const CLIENT = {
  id: 'b0c1f4de-9a52-4c1e-8a3b-2f6e0d9c7a11',
  name: 'Atlas',
  authentication: 'client_secret_basic',
  redirectUris: ['https://atlas.example/callback'],
  scopes: ['read:planets'],
  createdAt: '2026-01-15T14:30:00.000Z',
  lastUsedAt: '2026-01-16T09:00:00.000Z',
} as const

const GRANT = {
  id: '0b8f6a52-3f0c-4a43-9f5e-6c1d2e3f4a5b',
  clientId: CLIENT.id,
  clientName: 'Atlas',
  scopes: ['read:planets', 'offline_access'],
  createdAt: '2026-01-15T14:30:00.000Z',
  expiresAt: '2026-02-14T14:30:00.000Z',
} as const

const CONSENT = {
  clientId: CLIENT.id,
  clientName: 'Atlas',
  scopes: ['read:planets', 'offline_access'],
  createdAt: '2026-01-15T14:30:00.000Z',
} as const

const META = { limit: 10, offset: 0, total: 1, next: null }
const id = z.uuid()
const name = z
  .string()
  .meta({ description: doc('The name that the client registered') })
  .optional()

export const OwnClient = z
  .object({
    id: id.meta({ description: doc('The client_id') }),
    name,
    authentication: AuthenticationMethod,
    redirectUris: z.array(RegisteredUri),
    scopes: z.array(z.string()).meta({ description: doc('The scopes that the client can be granted') }),
    createdAt: DateTime,
    expiresAt: DateTime.meta({
      description: doc(
        'When the client expires: at the same time as the API key or the OAuth grant that registered the client. Absent if the client never expires.',
      ),
    }).optional(),
    lastUsedAt: DateTime.meta({
      description: doc(
        'When the client was last used: the time of its registration, of the last consent of a user, or of its last token refresh (to the day), whichever is latest',
      ),
    }),
  })
  .meta({ id: 'OwnClient', description: doc('An OAuth client of yours'), xml: { name: 'client' }, examples: [CLIENT] })

export const OwnClientPage = pageOf(OwnClient).meta({
  id: 'OwnClientPage',
  description: doc('A page of your OAuth clients, oldest first'),
  xml: { name: 'clients' },
  examples: [{ data: [CLIENT], meta: META }],
})

export const OwnGrant = z
  .object({
    id,
    clientId: z.string(),
    clientName: name,
    scopes: z.array(z.string()).meta({ description: doc('The scopes that you granted') }),
    createdAt: DateTime,
    expiresAt: DateTime.meta({ description: doc('When the last token of the grant expires') }),
  })
  .meta({
    id: 'OwnGrant',
    description: doc('A grant that you gave a client'),
    xml: { name: 'grant' },
    examples: [GRANT],
  })

export const OwnGrantPage = pageOf(OwnGrant).meta({
  id: 'OwnGrantPage',
  description: doc('A page of your grants, oldest first'),
  xml: { name: 'grants' },
  examples: [{ data: [GRANT], meta: META }],
})

export const OwnConsent = z
  .object({
    clientId: z.string(),
    clientName: name,
    scopes: z.array(z.string()).meta({ description: doc('The scopes for which the service does not ask you again') }),
    createdAt: DateTime.meta({ description: doc('When you first gave the client consent') }),
  })
  .meta({
    id: 'OwnConsent',
    description: doc('Your remembered consent for a client'),
    xml: { name: 'consent' },
    examples: [CONSENT],
  })

export const OwnConsentPage = pageOf(OwnConsent).meta({
  id: 'OwnConsentPage',
  description: doc('A page of your remembered consents, oldest first'),
  xml: { name: 'consents' },
  examples: [{ data: [CONSENT], meta: META }],
})

export type OwnConsent = z.infer<typeof OwnConsent>
export type OwnClient = z.infer<typeof OwnClient>
export type OwnGrant = z.infer<typeof OwnGrant>

/** If the text is not a UUID, the response is 404. */
export const ClientPath = z.object({ clientId: id.meta({ description: doc('The client_id'), examples: [CLIENT.id] }) })

/** If the text is not a UUID, the response is 404. */
export const GrantPath = z.object({
  grantId: id.meta({ description: doc('The id of the grant'), examples: [GRANT.id] }),
})
