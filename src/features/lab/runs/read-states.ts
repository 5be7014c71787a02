import type { RequestContext } from '../../../http/pipeline/context.ts'
import { readLaboratory } from '../case-files.ts'
import { noRun } from './errors.ts'
import { readRun, type StoredRun } from './queries.ts'
import { type CaseState, statesOf } from './summary.ts'

/** A run, the date of the suite, and the state of every case. */
export interface RunStates {
  run: StoredRun
  suite: string
  all: CaseState[]
  /** Of the cases that count: those of the run's version of OpenAPI. */
  states: CaseState[]
}

/** One round trip. @throws ProblemError 404 */
export async function readStates(
  id: string,
  { services, session, now }: Pick<RequestContext, 'services' | 'session' | 'now'>,
): Promise<RunStates> {
  const [laboratory, found] = await Promise.all([readLaboratory(services.assets), readRun(session.db, id, now)])
  if (!found) throw noRun()
  const { run, results } = found
  const all = statesOf(laboratory, run, results)
  const states = all.filter(({ judged }) => judged.versions.includes(run.openapi))
  return { run, suite: laboratory.suite, all, states }
}
