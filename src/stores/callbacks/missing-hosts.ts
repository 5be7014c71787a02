import { sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { deliveries, webhooks } from '../../db/tables.ts'
import { canonicalUrl, type TargetServices, targetHostOf } from '../../domain/target-host.ts'

/**
 * Number of rows of a table that a step fills in. A statement gets all their hosts and canonical URLs as one value, and
 * D1 limits a value to 2,000,000 bytes.
 */
const ROWS_PER_STEP = 500
const STEPS_MAX = 20

/**
 * Fills in columns that an older version of the service did not have and that SQL cannot compute: the hosts of
 * subscriptions and of pending deliveries, and the canonical URLs of subscriptions. If nothing is missing, it reads no
 * rows.
 */
export async function fillInHosts(db: Database, services: TargetServices): Promise<void> {
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
    await db.run(sql`
      update webhooks set host = known.value ->> 'host', canonical_url = known.value ->> 'canonicalUrl'
      from json_each(${await describeHosts(subscriptions, services)}) as known
      where webhooks.id = known.value ->> 'id' and webhooks.host is null`)
    await db.run(sql`
      update deliveries set host = known.value ->> 'host'
      from json_each(${await describeHosts(pending, services)}) as known
      where deliveries.id = known.value ->> 'id' and deliveries.host is null`)
  }
}

interface StoredUrl {
  id: number
  url: string
  /** The base URL of the service in the request that registered the URL. */
  origin: string
}

/** The missing columns of the rows, as a JSON array. */
async function describeHosts(rows: readonly StoredUrl[], services: TargetServices): Promise<string> {
  const described = []
  // The rows are described one after the other, so that only the first of them has to read the public suffix list.
  for (const row of rows) described.push(await describeHost(row, services))
  return JSON.stringify(described)
}

/**
 * The missing columns of a row. If its URL is not valid, the columns get the text of the URL, so that the row counts as
 * filled in.
 */
async function describeHost({ id, url, origin }: StoredUrl, services: TargetServices) {
  const isUrl = URL.canParse(url)
  return {
    id,
    host: isUrl ? await targetHostOf(url, origin, services) : url,
    canonicalUrl: isUrl ? canonicalUrl(url) : url,
  }
}
