import { violates } from './constraints.ts'

// A D1 session of which every write carries a check along: the check is the first statement of the batch that writes, so
// that what it finds is still true when the write happens. It is here, below every query, so that no query can forget it.

/** The statement that fails if a write may not happen any more, and its values. It is made anew for each write. */
export type WriteGuard = () => { text: string; values: readonly unknown[] }

/** A write that did not happen, because the credential of its caller has ended since the request began. */
export class CredentialEnded extends Error {
  override readonly name = 'CredentialEnded'
}

/** What Drizzle needs of a session. */
export type QuerySession = Pick<D1DatabaseSession, 'prepare' | 'batch'>

/**
 * Puts the guard, as soon as there is one, in front of every write of a session. Reads pass as they are.
 *
 * @throws CredentialEnded from a write that the guard, or a trigger with the same words, refuses
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

  /** A write by itself becomes a batch, so that the guard can go before it. */
  const alone = async <Row>(prepared: Prepared): Promise<D1Result<Row>> => {
    const [result] = await batch<Row>([prepared])
    if (!result) throw new Error('a batch gives a result for each of its statements')
    return result
  }

  const wrap = (prepared: Prepared): D1PreparedStatement => {
    const { statement } = prepared
    const wrapped = {
      bind: (...values: unknown[]) => wrap({ statement: statement.bind(...values), isWrite: true }),
      run: () => alone(prepared),
      all: () => alone(prepared),
      raw: async () => (await alone<Record<string, unknown>>(prepared)).results.map(Object.values),
    }
    writes.set(wrapped, prepared)
    // The methods that Drizzle calls.
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

/** What is in a text but is no SQL: strings, quoted names and comments. */
const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g
const INNERMOST = /\([^()]*\)/g
/** Of a statement that begins with common table expressions: the verb behind them. */
const VERB = /^\s*with\b.*?\b(select|values|insert|replace|update|delete)\b/is

/** Whether a statement only reads. One that this does not understand counts as a write, which is always safe. */
function isRead(text: string): boolean {
  if (/^\s*select\b/i.test(text)) return true
  return /^\s*with\b/i.test(text) && VERB.exec(withoutNested(text))?.[1]?.toLowerCase() === 'select'
}

/** What a statement says outside of all parentheses. */
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
