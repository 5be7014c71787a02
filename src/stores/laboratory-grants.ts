import { sql } from 'drizzle-orm'
import { build, type Session, write } from '../db/port.ts'
import { clients, grants } from '../db/tables.ts'
import type { ClientMetadata } from '../schemas/client.ts'
import { LABORATORY_CLIENT } from './anonymous-rows.ts'
import type { NewGrant } from './grants.ts'

/** It can do nothing: it has no grant types and no redirect URIs. */
const METADATA: ClientMetadata = {
  redirect_uris: [],
  client_name: 'Laboratory',
  token_endpoint_auth_method: 'none',
  grant_types: [],
  response_types: [],
  scope: '',
  post_logout_redirect_uris: [],
}

/**
 * Stores a grant of the laboratory. A grant needs a client, so that is stored as long as it has grants. One round trip.
 */
export async function insertLaboratoryGrant(
  session: Session,
  grant: Omit<NewGrant, 'clientId'>,
  now: Date,
): Promise<void> {
  const client = {
    id: LABORATORY_CLIENT,
    metadata: METADATA,
    expiresAt: grant.expiresAt,
    createdAt: now,
    lastUsedAt: now,
  }
  await write(session, [
    build
      .insert(clients)
      .values(client)
      .onConflictDoUpdate({
        target: clients.id,
        set: { expiresAt: sql`max(${clients.expiresAt}, excluded.expires_at)` },
      }),
    build.insert(grants).values({ ...grant, clientId: LABORATORY_CLIENT, createdAt: now }),
  ])
}
