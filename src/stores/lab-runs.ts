import { inArray, lt } from 'drizzle-orm'
import { build, type Session, write } from '../db/port.ts'
import { labRuns } from '../db/tables.ts'

/** Number of runs removed in one sweep, each with at most as many results as there are cases. */
const REMOVALS_PER_SWEEP = 20

/** Removes runs of the laboratory that have ended, with their results. */
export async function removeEndedLabRuns(session: Session, now: Date): Promise<void> {
  const hasEnded = lt(labRuns.expiresAt, now)
  const ended = build.select({ id: labRuns.id }).from(labRuns).where(hasEnded).limit(REMOVALS_PER_SWEEP)
  await write(session, [build.delete(labRuns).where(inArray(labRuns.id, ended))])
}
