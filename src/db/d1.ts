import type { Outcome, SqliteDatabase } from './sqlite.ts'

/** Opens a database of D1, with its Sessions API. */
export function openD1(binding: Pick<D1Database, 'withSession'>): SqliteDatabase {
  return {
    open(start) {
      const session = binding.withSession(start)
      return {
        async run(statements) {
          const bound = statements.map(({ sql, params }) => session.prepare(sql).bind(...params))
          const [first, ...others] = bound
          const results = first && others.length === 0 ? [await first.all()] : await session.batch(bound)
          return results.map(outcomeOf)
        },
        bookmark: () => session.getBookmark(),
      }
    },
  }
}

/** A row of D1 is an object, whose members are in the order of the columns. */
function outcomeOf({ results, meta }: D1Result): Outcome {
  return {
    rows: results.map((row) => Object.values(row as object)),
    rowsRead: meta.rows_read,
    rowsWritten: meta.rows_written,
  }
}
