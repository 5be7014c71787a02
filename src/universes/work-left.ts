/** The rows that mean work for the sweep. */
const WORK = [
  // Callbacks that have not ended.
  "deliveries where status = 'pending'",
  // Events for which not all deliveries to subscriptions exist yet.
  'events where expanded_to is not null',
  // Batches of observations that are not completed.
  'observation_batches where completed_at is null',
  // Accounts whose data is not removed yet.
  'users where deleted_at is not null',
  // Images that no planet shows.
  'images where orphaned_at is not null',
]

/** Whether there is work left for another sweep. If not, an unused universe needs no alarm until its end. */
export function hasWorkLeft(sql: SqlStorage): boolean {
  const hasRows = WORK.map((rows) => `exists (select 1 from ${rows})`).join(' or ')
  return sql.exec(`select 1 where ${hasRows}`).toArray().length > 0
}
