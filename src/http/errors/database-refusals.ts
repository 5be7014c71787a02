import type { Refusal } from '../../domain/refusal.ts'

const BUSY: Refusal = {
  retryAfterSeconds: 5,
  detail: 'The database is temporarily unavailable. Try again shortly.',
}

/** The database stays full until old rows expire or the operator makes room. */
const FULL: Refusal = {
  retryAfterSeconds: 60 * 60,
  detail:
    'The database is full, so writes fail. Reads still work. Password checks fail too, because each attempt must be counted.',
}

/**
 * Registry: the errors with which D1 rejects valid statements. The texts with a full stop are the D1_ERRORs in
 * Cloudflare's "Debug D1" (developers.cloudflare.com/d1/observability/debug-d1), without `No SQL statements detected.`,
 * which would be a defect of this service. The text about the export is from workers-sdk issue 9519. The names in
 * capitals are result codes of SQLite, which the runtime adds to its messages
 * (`database or disk is full: SQLITE_FULL`).
 */
export const D1_ERRORS: readonly (readonly [text: string, refusal: Refusal])[] = [
  // The storage of the database, or of all databases of the account, is used up.
  ['Exceeded maximum DB size.', FULL],
  ['Exceeded maximum account storage limit.', FULL],
  ['SQLITE_FULL', FULL],
  // The database gets too many requests, or a request takes too long.
  ['D1 DB is overloaded. Requests queued for too long.', BUSY],
  ['D1 DB is overloaded. Too many requests queued.', BUSY],
  ['D1 DB storage operation exceeded timeout which caused object to be reset.', BUSY],
  ["D1 DB's isolate exceeded its memory limit and was reset.", BUSY],
  ['D1 DB exceeded its CPU time limit and was reset.', BUSY],
  // The database restarts or moves.
  ['D1 DB reset because its code was updated.', BUSY],
  ['Internal error while starting up D1 DB storage caused object to be reset.', BUSY],
  ['Internal error in D1 DB storage caused object to be reset.', BUSY],
  // The network between the Worker and the database.
  ['Network connection lost.', BUSY],
  ['Cannot resolve D1 DB due to transient issue on remote node.', BUSY],
  ["Can't read from request stream because client disconnected.", BUSY],
  // An export blocks all other requests.
  ['Currently processing a long-running export.', BUSY],
  // Another connection has locked the file, or the disk cannot be read or written.
  ['SQLITE_BUSY', BUSY],
  ['SQLITE_IOERR', BUSY],
]

/** The value of `Retry-After` for a temporary failure, in seconds. */
export const BUSY_RETRY_AFTER_SECONDS = String(BUSY.retryAfterSeconds)

/** Finds the refusal for an error with which D1 rejected a valid statement; undefined for any other error. */
export function findRefusal({ message }: Error): Refusal | undefined {
  return D1_ERRORS.find(([text]) => message.includes(firstSentenceOf(text)))?.[1]
}

/** Without its full stop, because some messages have none. A second sentence only adds detail. */
function firstSentenceOf(text: string): string {
  return text.replace(/\.(?: .*)?$/, '')
}
