import type { RequestContext } from '../../../http/pipeline/context.ts'
import { readLaboratory } from '../case-files.ts'
import { noRun } from './errors.ts'
import { readRun, type StoredRun } from './queries.ts'
import { type CaseState, statesOf } from './summary.ts'

/** A run, the date of the suite, and the state of every case. */
export interface RunStates {
  run: StoredRun
  suite: string
  states: CaseState[]
}

/** One round trip. @throws ProblemError 404 */
export async function readStates(
  id: string,
  { services, session, now }: Pick<RequestContext, 'services' | 'session' | 'now'>,
): Promise<RunStates> {
  const [laboratory, found] = await Promise.all([readLaboratory(services.assets), readRun(session.db, id, now)])
  if (!found) throw noRun()
  return { run: found.run, suite: laboratory.suite, states: statesOf(laboratory, found.run, found.results) }
}
