import { compile, type Query, type Results, readResults } from './query.ts'
import type { Session } from './session.ts'

type Statements = readonly Query[]

/** The statements that write news to the log. */
const NEWS = new WeakSet<object>()

/**
 * Marks a statement that writes the log, by itself or by a trigger (migrations/), so that its readers are told. Mark a
 * prepared statement with its values, not the one that it was prepared from.
 */
export function news<Statement extends Query>(statement: Statement): Statement {
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
  const outcomes = await session.run(compiled)
  if (statements.some((statement) => NEWS.has(statement))) session.notifyReaders()
  return await readResults(compiled, outcomes)
}

/**
 * Runs statements again and again, until none of them has reached the maximum of a step. One round trip for each step.
 *
 * @param statements Each writes at most `rowsPerStep` rows, and returns them
 */
export async function writeInSteps(
  session: Session,
  { rowsPerStep, stepsMax }: { rowsPerStep: number; stepsMax: number },
  statements: readonly Query<readonly unknown[]>[],
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
