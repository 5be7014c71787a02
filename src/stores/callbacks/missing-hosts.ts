import { sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { deliveries, webhooks } from '../../db/tables.ts'
import { canonicalUrl, targetHostOf } from '../../domain/target-host.ts'

/** They go into a statement as one value, of which D1 takes 2,000,000 bytes: a URL of each, and its host. */
const ROWS_PER_STEP = 500
const STEPS_MAX = 20

/**
 * Fills in what an older version of the service did not store, and SQL cannot compute: the hosts of subscriptions and of
 * deliveries that are still to be made, and the canonical URLs of the former. If nothing is missing, it reads nothing.
 */
export async function fillInHosts(db: Database): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    const columns = ({ id, url, origin }: typeof webhooks | typeof deliveries) => ({ id, url, origin })
    const [subscriptions, pending] = await db.batch([
      db.select(columns(webhooks)).from(webhooks).where(sql`${webhooks.host} is null`).limit(ROWS_PER_STEP),
      db
        .select(columns(deliveries))
        .from(deliveries)
        .where(sql`${deliveries.host} is null and ${deliveries.status} = 'pending'`)
        .limit(ROWS_PER_STEP),
    ])
    if (subscriptions.length + pending.length === 0) return
    const source = (rows: readonly StoredUrl[], table: string) => sql`
      from json_each(${JSON.stringify(rows.map(describeHost))}) as known
      where ${sql.identifier(table)}.id = known.value ->> 'id' and ${sql.identifier(table)}.host is null`
    await db.run(sql`
      update webhooks set host = known.value ->> 'host', canonical_url = known.value ->> 'canonicalUrl'
      ${source(subscriptions, 'webhooks')}`)
    await db.run(sql`update deliveries set host = known.value ->> 'host' ${source(pending, 'deliveries')}`)
  }
}

interface StoredUrl {
  id: number
  url: string
  origin: string
}

function describeHost({ id, url, origin }: StoredUrl) {
  const isUrl = URL.canParse(url)
  return {
    id,
    host: isUrl ? targetHostOf(url, origin) : url,
    canonicalUrl: isUrl ? canonicalUrl(url) : url,
  }
}
