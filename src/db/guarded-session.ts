import { violates } from './constraints.ts'

// A D1 session that adds a check to every write. The check is the first statement of the batch that writes, so its
// result is still true when the write happens. It is implemented below all queries, so that no query can forget it.

/** Creates, for each write, a statement with its values that fails if the write is no longer allowed. */
export type WriteGuard = () => { text: string; values: readonly unknown[] }

/** A write that was not executed, because the caller's credential has ended since the request began. */
export class CredentialEnded extends Error {
  override readonly name = 'CredentialEnded'
}

/** The part of a session that Drizzle needs. */
export type QuerySession = Pick<D1DatabaseSession, 'prepare' | 'batch'>

/**
 * Adds the guard, once there is one, in front of every write of a session. Reads are unchanged.
 *
 * @throws CredentialEnded from a write that is rejected by the guard, or by a trigger with the same error text
 */
export function guardWrites(session: D1DatabaseSession, guard: () => WriteGuard | undefined): QuerySession {
  const writes = new WeakMap<object, Prepared>()

  const batch = async <Row>(statements: readonly Prepared[]): Promise<D1Result<Row>[]> => {
    const check = statements.some(({ isWrite }) => isWrite) ? guard()?.() : undefined
    const all = statements.map(({ statement }) => statement)
    try {
      if (!check) return await session.batch<Row>(all)
      const [, ...results] = await session.batch<Row>([session.prepare(check.text).bind(...check.values), ...all])
      return results
    } catch (error) {
      throw explain(error)
    }
  }

  /** A single write becomes a batch, so that the guard can precede it. */
  const runAlone = async <Row>(prepared: Prepared): Promise<D1Result<Row>> => {
    const [result] = await batch<Row>([prepared])
    if (!result) throw new Error('a batch gives a result for each of its statements')
    return result
  }

  const wrap = (prepared: Prepared): D1PreparedStatement => {
    const { statement } = prepared
    const wrapped = {
      bind: (...values: unknown[]) => wrap({ statement: statement.bind(...values), isWrite: true }),
      run: () => runAlone(prepared),
      all: () => runAlone(prepared),
      raw: async () => (await runAlone<Record<string, unknown>>(prepared)).results.map(Object.values),
    }
    writes.set(wrapped, prepared)
    // Only the methods that Drizzle calls.
    return wrapped as unknown as D1PreparedStatement
  }

  return {
    prepare(text) {
      const statement = session.prepare(text)
      return isRead(text) ? statement : wrap({ statement, isWrite: true })
    },
    batch: async (statements) =>
      await batch(statements.map((statement) => writes.get(statement) ?? { statement, isWrite: false })),
  }
}

/** Parts of a statement that can contain any text: strings, quoted names and comments. */
const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g
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

interface Prepared {
  statement: D1PreparedStatement
  isWrite: boolean
}

function explain(error: unknown): unknown {
  return violates(error, 'credentialEnded') ? new CredentialEnded('the credential has ended') : error
}
