import type { Session } from '../../../db/client.ts'
import { removeEndedRuns } from './queries.ts'

/** Removes runs of the laboratory that have ended, with what they have recorded. For the sweep. */
export async function removeEndedLabRuns(session: Session, now: Date): Promise<void> {
  await removeEndedRuns(session, now)
}
