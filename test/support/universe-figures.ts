import { env } from 'cloudflare:workers'
import { aroundRuns, type SqliteDatabase } from '../../src/db/port.ts'
import type { UniverseFigures } from '../../src/domain/universe.ts'
import { figureStatements } from '../../src/universes/figure-triggers.ts'
import { type FigureRow, readFigures, type StoredFigures } from '../../src/universes/figures.ts'
import { type ExplainedUniverseLimit, reachedUniverseLimit } from '../../src/universes/reached-limit.ts'
import { runAll } from './fresh-database.ts'

// The database of the tests, made to count and limit as the database of a universe does.

/** Counts what there is, and from now on every change. */
export async function startCounting(): Promise<void> {
  await runAll(env.DB, figureStatements())
}

/** Removes everything that `startCounting` has added. */
export async function stopCounting(): Promise<void> {
  const { results } = await env.DB.prepare(
    "select name from sqlite_master where type = 'trigger' and name glob 'universe_*'",
  ).all<{ name: string }>()
  await runAll(env.DB, [...results.map(({ name }) => `drop trigger "${name}"`), 'drop table universe_figures'])
}

/** The figures as the triggers have counted them. */
export async function storedFigures(): Promise<StoredFigures> {
  const { results } = await env.DB.prepare('select * from universe_figures').all<FigureRow>()
  // The rows are those of the query that `readFigures` sends.
  return readFigures({ exec: <Row>() => results as Row[] })
}

/** The figures, counted from the rows themselves. */
export async function countFigures(): Promise<UniverseFigures & { otherBodies: number }> {
  const row = await env.DB.prepare(`
    select
      (select count(*) from planets) as planets,
      (select count(*) from users where deleted_at is null) as users,
      (select count(*) from planets where image_key is not null) as images,
      (select coalesce(sum(file_size), 0) from images where key in (select image_key from planets)) as imageBytes,
      (select count(*) from deliveries) as deliveries,
      (select count(*) from inboxes) as inboxes,
      (select count(*) from lab_runs) as labRuns,
      (select count(*) from bodies where planet_id is null and host_id is null) as otherBodies`).first<
    UniverseFigures & { otherBodies: number }
  >()
  if (!row) throw new Error('a query without a table returns a row')
  return row
}

/** Sets limits. Pass what there is and more, to leave room for exactly that much. */
export async function limitTo(limits: Partial<UniverseFigures>): Promise<void> {
  await env.DB.batch(
    Object.entries(limits).map(([name, allowed]) =>
      env.DB.prepare('update universe_figures set allowed = ? where name = ?').bind(allowed, name),
    ),
  )
}

/** The real database, with a record of the limits because of which it rejected writes. */
export function watchRefusals(database: SqliteDatabase): {
  database: SqliteDatabase
  refusals: ExplainedUniverseLimit[]
} {
  const refusals: ExplainedUniverseLimit[] = []
  const watched = aroundRuns(database, async (statements, run) => {
    try {
      return await run(statements)
    } catch (error) {
      const figures = await storedFigures()
      const limit = reachedUniverseLimit(error, () => figures)
      if (limit) refusals.push(limit)
      throw error
    }
  })
  return { database: watched, refusals }
}
