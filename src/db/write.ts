import type { BatchQuery, Session } from './client.ts'
import { compile } from './prepared.ts'

type Statements = readonly BatchQuery[]

type RowsQuery = BatchQuery & { readonly _: { readonly result: readonly unknown[] } }

export type Results<List extends Statements> = {
  -readonly [Index in keyof List]: List[Index]['_']['result']
}

/** The statements that write news to the log. */
const NEWS = new WeakSet<object>()

/**
 * Marks a statement that writes the log, by itself or by a trigger (migrations/), so that its readers are told. Mark a
 * prepared statement with its values, not the one that it was prepared from.
 *
 * @returns The statement
 */
export function news<Statement extends BatchQuery>(statement: Statement): Statement {
  NEWS.add(statement)
  return statement
}

/**
 * Runs statements in one batch, all or nothing, if the credential of the session is still valid. One round trip; none
 * without statements. Everything that writes to the database runs here.
 *
 * @throws CredentialEnded
 */
export async function write<const List extends Statements>(session: Session, statements: List): Promise<Results<List>> {
  if (statements.length === 0) return [] as Results<List>
  const compiled = statements.map(compile)
  const results = await session.run(compiled.map(({ query }) => query))
  if (statements.some((statement) => NEWS.has(statement))) session.notifyReaders()
  // The cast is safe, because each result is read by its own statement.
  return compiled.map(({ read }, index) => read(results[index])) as Results<List>
}

/**
 * Runs statements again and again, until none of them has reached the maximum of a step. One round trip for each step.
 *
 * @param statements Each writes at most `rowsPerStep` rows, and returns them
 */
export async function writeInSteps(
  session: Session,
  { rowsPerStep, stepsMax }: { rowsPerStep: number; stepsMax: number },
  statements: readonly RowsQuery[],
): Promise<void> {
  for (let step = 0; step < stepsMax; step++) {
    const results: readonly (readonly unknown[])[] = await write(session, statements)
    if (results.every((rows) => rows.length < rowsPerStep)) return
  }
}

/** Runs lists of statements in one batch, one list after the other. @returns The results of each list, by its name */
export async function writeParts<const Parts extends Readonly<Record<string, Statements>>>(
  session: Session,
  parts: Parts,
): Promise<{ [Name in keyof Parts]: Results<Parts[Name]> }> {
  const results = (await write(session, Object.values(parts).flat())).values()
  const split = Object.entries(parts).map(([name, statements]) => [name, results.take(statements.length).toArray()])
  return Object.fromEntries(split)
}
