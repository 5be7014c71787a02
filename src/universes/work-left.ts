/** The tables with work for the sweep: callbacks, accounts that are being removed, images that no planet shows. */
const WORK = [
  "deliveries where status = 'pending'",
  'events where expanded_to is not null',
  'users where deleted_at is not null',
  'images where orphaned_at is not null',
]

/** Whether there is work left for another sweep. If not, an unused universe needs no alarm until its end. */
export function hasWorkLeft(sql: SqlStorage): boolean {
  const hasRows = WORK.map((rows) => `exists (select 1 from ${rows})`).join(' or ')
  return sql.exec(`select 1 where ${hasRows}`).toArray().length > 0
}
