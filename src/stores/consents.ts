import { and, eq, isNull, sql } from 'drizzle-orm'
import { build, type Database, news, type Session, write } from '../db/port.ts'
import { consents, grants } from '../db/tables.ts'
import type { PageQuery } from '../schemas/page.ts'
import type { ListPage } from './cut-page.ts'
import { type ListedPermission, listPermissions } from './permissions.ts'

type StoredConsent = typeof consents.$inferSelect

/** The user who gives a consent, and the generation of the user's password. */
export interface Giver {
  id: number
  passwordGeneration: number
}

/**
 * The statement that adds scopes to the consent of a user for a client. It writes nothing if the consent already has
 * all of these scopes. A consent from before the last change of the password is replaced.
 */
export function rememberConsent(consent: Omit<StoredConsent, 'createdAt'>, now: Date) {
  const isOfThisPassword = sql`${consents.passwordGeneration} = excluded.password_generation`
  const unitedScopes = sql`(select json_group_array(value) from (select value from json_each(${consents.scopes}) union select value from json_each(excluded.scopes)))`
  const hasNewScope = sql`exists (select 1 from json_each(excluded.scopes) where value not in (select value from json_each(${consents.scopes})))`
  return build
    .insert(consents)
    .values({ ...consent, createdAt: now })
    .onConflictDoUpdate({
      target: [consents.userId, consents.clientId],
      set: {
        scopes: sql`case when ${isOfThisPassword} then ${unitedScopes} else excluded.scopes end`,
        createdAt: sql`case when ${isOfThisPassword} then ${consents.createdAt} else excluded.created_at end`,
        passwordGeneration: sql`excluded.password_generation`,
      },
      setWhere: sql`not ${isOfThisPassword} or ${hasNewScope}`,
    })
}

export type ListedConsent = ListedPermission<StoredConsent>

/** A page of the list of a user's consents. @see listPermissions */
export async function listConsents(db: Database, giver: Giver, page: PageQuery): Promise<ListPage<ListedConsent>> {
  return await listPermissions(db, consents, isConsentOf(giver), consents.clientId, page)
}

/**
 * Removes the consent of a user for a client, and ends every grant that depends on this consent. One round trip.
 *
 * @returns Whether the consent existed
 */
export async function endConsent(session: Session, giver: Giver, clientId: string, now: Date): Promise<boolean> {
  const isThisConsent = and(isConsentOf(giver), eq(consents.clientId, clientId))
  const endGrants = news(
    build
      .update(grants)
      .set({ endedAt: now })
      .where(
        and(
          eq(grants.userId, giver.id),
          eq(grants.clientId, clientId),
          isNull(grants.endedAt),
          // A grant of the client itself (client credentials) does not depend on a consent.
          sql`${grants.authenticatedAt} is not null`,
          sql`exists (select 1 from ${consents} where ${isThisConsent})`,
        ),
      ),
  )
  const removeConsent = build.delete(consents).where(isThisConsent).returning({ clientId: consents.clientId })
  const [, removed] = await write(session, [endGrants, removeConsent])
  return removed.length > 0
}

function isConsentOf({ id, passwordGeneration }: Giver) {
  return and(eq(consents.userId, id), eq(consents.passwordGeneration, passwordGeneration))
}
