import { and, eq, gt, sql } from 'drizzle-orm'
import type { LabStep } from '../../../../laboratory/case.ts'
import { build, type Database, type Session, write } from '../../../db/port.ts'
import { labResults, labRuns } from '../../../db/tables.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { LAB_RUNS, makeRoom } from '../../../stores/anonymous-rows.ts'

export type StoredRun = typeof labRuns.$inferSelect

export interface StoredResult {
  caseId: string
  requests: number
  requestId: string
  steps: readonly LabStep[]
  /** The bytes of the part that was judged, in hexadecimal; null if there are none. */
  received: string | null
}

/** How long a run exists after its last record, and at most. */
const KEPT_MS = 7 * DAY_MS
const AGE_MAX_MS = 30 * DAY_MS

/** When a new run ends, unless it records something. */
export function firstEnd(now: Date): Date {
  return new Date(now.getTime() + KEPT_MS)
}

/** Other runs may be removed to make room (stores/anonymous-rows.ts). One round trip. */
export async function insertRun(session: Session, run: StoredRun): Promise<void> {
  await write(session, [build.insert(labRuns).values(run), ...makeRoom(LAB_RUNS, run)])
}

const isAlive = (id: string, now: Date) => and(eq(labRuns.id, id), gt(labRuns.expiresAt, now))

/** The query for a run that has not ended: a list with one item or none. */
function selectRun(id: string, now: Date) {
  return build.select().from(labRuns).where(isAlive(id, now))
}

/** Whether a run exists and has not ended. One round trip. */
export async function hasRun(db: Database, id: string, now: Date): Promise<boolean> {
  return (await db.read(build.select({ id: labRuns.id }).from(labRuns).where(isAlive(id, now)))).length > 0
}

/** Reads a run and its results. One round trip. @returns Undefined if the run does not exist or has ended */
export async function readRun(
  db: Database,
  id: string,
  now: Date,
): Promise<{ run: StoredRun; results: StoredResult[] } | undefined> {
  const [[run], results] = await db.batch([
    selectRun(id, now),
    build.select(RESULT).from(labResults).where(eq(labResults.runId, id)),
  ])
  return run && { run, results }
}

const RESULT = {
  caseId: labResults.caseId,
  requests: labResults.requests,
  requestId: labResults.requestId,
  steps: labResults.steps,
  received: sql<string | null>`iif(${labResults.received} is null, null, hex(${labResults.received}))`,
}

/**
 * Changes a run that is not closed. One round trip.
 *
 * @returns The run after the change, and whether it was changed; undefined if it does not exist or has ended
 */
export async function updateRun(
  session: Session,
  id: string,
  { expect, skip, closed = false }: { [Name in 'expect' | 'skip' | 'closed']?: StoredRun[Name] | undefined },
  now: Date,
): Promise<{ run: StoredRun; isChanged: boolean } | undefined> {
  const [changed, [run]] = await write(session, [
    build
      .update(labRuns)
      .set({ expect, skip, closed })
      .where(and(isAlive(id, now), eq(labRuns.closed, false)))
      .returning({ id: labRuns.id }),
    selectRun(id, now),
  ])
  return run && { run, isChanged: changed.length > 0 }
}

/** Deletes a run with its results. @returns Whether it existed and had not ended */
export async function deleteRun(session: Session, id: string, now: Date): Promise<boolean> {
  const [deleted] = await write(session, [build.delete(labRuns).where(isAlive(id, now)).returning({ id: labRuns.id })])
  return deleted.length > 0
}

/** A request to a case, and how it joins those that the run has recorded before. */
export interface NewStep {
  caseId: string
  requestId: string
  step: LabStep
  received: Uint8Array | null
  /** Whether what was received with the first step that failed stays. Absent: what came last counts. */
  keepsFault?: true
  /** How many steps of the case are kept. If there are more, this one replaces the last one. */
  stepsMax: number
  /** If the last request came before this time, in milliseconds since 1970, the case begins anew. */
  beginsAfter: number
}

/**
 * Records a request to a case. One round trip, in which the run is found and its end moves.
 *
 * @returns The result with this request, or why there is none
 */
export async function recordStep(
  session: Session,
  runId: string,
  { caseId, requestId, step, received, keepsFault, stepsMax, beginsAfter }: NewStep,
  now: Date,
): Promise<StoredResult | 'no-run' | 'closed'> {
  const { steps, lastAt } = labResults
  const json = JSON.stringify(step)
  // The cast, because D1 takes every number for a double.
  const place = sql`'$[' || min(json_array_length(${steps}), cast(${stepsMax - 1} as integer)) || ']'`
  const end = sql`iif(${labRuns.closed}, ${labRuns.expiresAt}, max(${labRuns.expiresAt}, min(${labRuns.createdAt} + ${AGE_MAX_MS}, ${now.getTime() + KEPT_MS})))`
  const begins = sql`${lastAt} < ${beginsAfter}`
  const hasFault = sql`exists (select 1 from json_each(${steps}) where value ->> '$.judgement.verdict' = 'fail')`
  const bytes = received ? sql`unhex(${received.toHex()})` : sql`null`
  const [[run], [result]] = await write(session, [
    build.update(labRuns).set({ expiresAt: end }).where(isAlive(runId, now)).returning({ closed: labRuns.closed }),
    build
      .insert(labResults)
      .select(sql`
        select ${labRuns.id}, ${caseId}, 1, ${now.getTime()}, ${requestId}, json_array(json(${json})), ${bytes}
        from ${labRuns} where ${isAlive(runId, now)} and not ${labRuns.closed}`)
      .onConflictDoUpdate({
        target: [labResults.runId, labResults.caseId],
        set: {
          requests: sql`${labResults.requests} + 1`,
          lastAt: now,
          requestId,
          steps: sql`iif(${begins}, excluded.steps, json_set(${steps}, ${place}, json(${json})))`,
          received: keepsFault
            ? sql`iif(${begins} or not ${hasFault}, excluded.received, ${labResults.received})`
            : sql`excluded.received`,
        },
      })
      .returning(RESULT),
  ])
  if (!run) return 'no-run'
  return result ?? 'closed'
}
