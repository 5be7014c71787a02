import { type SQLWrapper, sql } from 'drizzle-orm'
import { apiKeys, clients, grants, users } from '../db/tables.ts'

// A client stops with the account of its owner: whoever has allowed it something, nothing that it was given is good while
// its owner is suspended, and nothing that it has created with that. Nothing is deleted, so all of it holds again when the
// suspension ends.

/** A key or a grant, or neither. */
interface Credential {
  keyId: SQLWrapper | number | null
  grantId: SQLWrapper | string | null
}

/**
 * The condition that a credential was given to a client whose owner is suspended, or comes of one that was. It follows
 * from a key to the key or grant that created it, and from a grant to what has registered its client
 * (`CREDENTIAL_DEPTH_MAX` steps at most). While nobody is suspended that is not looked at: the index has suspended users only.
 */
export function isOfStoppedClient({ keyId, grantId }: Credential) {
  const suspended = sql`${users} indexed by users_suspended`
  return sql<boolean>`case when exists (select 1 from ${suspended} where suspended_at is not null) then exists (
    with recursive makers (key_id, grant_id) as (
      select ${keyId}, ${grantId}
      union all
      select coalesce(made_key.made_by_key, made_client.made_by_key), coalesce(made_key.made_by_grant, made_client.made_by_grant)
      from makers
      left join ${apiKeys} as made_key on made_key.id = makers.key_id
      left join ${grants} as its_grant on its_grant.id = makers.grant_id
      left join ${clients} as made_client on made_client.id = its_grant.client_id
      where makers.key_id is not null or makers.grant_id is not null
    )
    select 1 from makers
    join ${grants} as given on given.id = makers.grant_id
    join ${clients} as client on client.id = given.client_id
    join ${users} as client_owner indexed by users_suspended on client_owner.id = client.owner_id
    where client_owner.suspended_at is not null
  ) else 0 end`.mapWith(Boolean)
}
