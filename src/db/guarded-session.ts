import { violates } from './constraints.ts'

// A D1 session that adds a check to every write. The check is the first statement of the batch that writes, so its
// result is still true when the write happens. It is implemented below all queries, so that no query can forget it.

/** Creates the SQL text and values of a statement that fails if the next write is no longer allowed. */
export type WriteGuard = () => { text: string; values: readonly unknown[] }

/** A write that was not executed, because the caller's credential has ended since the request began. */
export class CredentialEnded extends Error {
  override readonly name = 'CredentialEnded'
}

/** The part of a session that Drizzle needs. */
export type QuerySession = Pick<D1DatabaseSession, 'prepare' | 'batch'>

/**
 * Adds the guard in front of every write of a session. Reads are unchanged.
 *
 * @param currentGuard Returns the guard; undefined as long as every write is allowed
 * @throws CredentialEnded from a write that is rejected by the guard, or by a trigger with the same error text
 */
export function guardWrites(session: D1DatabaseSession, currentGuard: () => WriteGuard | undefined): QuerySession {
  /** For each wrapped statement, which Drizzle passes to `batch`: the statement inside. */
  const preparedOf = new WeakMap<object, Prepared>()

  const batch = async <Row>(preparedStatements: readonly Prepared[]): Promise<D1Result<Row>[]> => {
    const guard = currentGuard()
    const hasWrite = preparedStatements.some(({ isWrite }) => isWrite)
    const check = guard && hasWrite ? guard() : undefined
    const statements = preparedStatements.map(({ statement }) => statement)
    try {
      if (!check) return await session.batch<Row>(statements)
      // The first result is that of the check.
      const [, ...results] = await session.batch<Row>([checkStatement(session, check), ...statements])
      return results
    } catch (error) {
      throw asCredentialEnded(error)
    }
  }

  /** A single write becomes a batch, so that the guard can precede it. */
  const runAlone = async <Row>(prepared: Prepared): Promise<D1Result<Row>> => {
    const [result] = await batch<Row>([prepared])
    if (!result) throw new Error('the database returned no result for a statement')
    return result
  }

  /** A statement that Drizzle can use like any other, but that runs through `batch` above. */
  const wrap = (prepared: Prepared): D1PreparedStatement => {
    const { statement } = prepared
    const wrapped = {
      // Only writes are wrapped.
      bind: (...values: unknown[]) => wrap({ statement: statement.bind(...values), isWrite: true }),
      run: () => runAlone(prepared),
      all: () => runAlone(prepared),
      // `raw` returns rows as arrays of values.
      raw: async () => (await runAlone<Record<string, unknown>>(prepared)).results.map(Object.values),
    }
    preparedOf.set(wrapped, prepared)
    // The cast is safe, because Drizzle calls only these methods.
    return wrapped as unknown as D1PreparedStatement
  }

  return {
    prepare(text) {
      const statement = session.prepare(text)
      return isRead(text) ? statement : wrap({ statement, isWrite: true })
    },
    batch: async (statements) =>
      // A statement that is not wrapped is a read, see `prepare`.
      await batch(statements.map((statement) => preparedOf.get(statement) ?? { statement, isWrite: false })),
  }
}

/** Runs a guard without a write. @throws CredentialEnded */
export async function runGuard(session: D1DatabaseSession, guard: WriteGuard): Promise<void> {
  try {
    await checkStatement(session, guard()).run()
  } catch (error) {
    throw asCredentialEnded(error)
  }
}

function checkStatement(session: D1DatabaseSession, { text, values }: ReturnType<WriteGuard>): D1PreparedStatement {
  return session.prepare(text).bind(...values)
}

/** Parts of a SQL statement that can contain any text: strings, quoted names and comments. */
const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g
/** A pair of parentheses without other parentheses inside. */
const INNERMOST = /\([^()]*\)/g
/** The verb after the common table expressions of a statement. */
const VERB = /^\s*with\b.*?\b(select|values|insert|replace|update|delete)\b/is

/** Whether a statement only reads. If in doubt, it counts as a write, which is always safe. */
function isRead(text: string): boolean {
  if (/^\s*select\b/i.test(text)) return true
  return /^\s*with\b/i.test(text) && VERB.exec(withoutNested(text))?.[1]?.toLowerCase() === 'select'
}

/** The part of a statement outside of all parentheses. */
function withoutNested(text: string): string {
  const sql = text.replaceAll(QUOTED, ' ')
  const flatter = sql.replaceAll(INNERMOST, ' ')
  return flatter === sql ? sql : withoutNested(flatter)
}

/** A prepared statement, and whether it writes. */
interface Prepared {
  statement: D1PreparedStatement
  isWrite: boolean
}

/** Returns the error to throw: CredentialEnded for the error of a guard or trigger, any other error unchanged. */
function asCredentialEnded(error: unknown): unknown {
  return violates(error, 'credentialEnded') ? new CredentialEnded('the credential has ended') : error
}
