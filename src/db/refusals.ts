/** Why D1 refuses a statement that is right, and when the caller should try again. */
interface Refusal {
  retryAfterSeconds: number
  /** What the caller is told. */
  detail: string
}

const BUSY: Refusal = {
  retryAfterSeconds: 5,
  detail: 'The database is temporarily unavailable. Try again shortly.',
}

/** It stays full until old rows expire or the operator makes room. */
const FULL: Refusal = {
  retryAfterSeconds: 60 * 60,
  detail:
    'The database is full, so writes fail. Reads still work. Password checks fail too, because each attempt must be counted.',
}

/**
 * THE table of what D1 says when it refuses. The texts with a full stop are the list of D1_ERRORs in Cloudflare's "Debug D1"
 * (developers.cloudflare.com/d1/observability/debug-d1), without `No SQL statements detected.`, which would be a fault of
 * this service. The export is in workers-sdk issue 9519; the names in capitals are result codes of SQLite, which the runtime
 * puts at the end of its messages (`database or disk is full: SQLITE_FULL`).
 */
export const REFUSALS: readonly (readonly [text: string, refusal: Refusal])[] = [
  // The storage of the database, or of all databases of the account, is used up.
  ['Exceeded maximum DB size.', FULL],
  ['Exceeded maximum account storage limit.', FULL],
  ['SQLITE_FULL', FULL],
  // More requests than the database can take, or requests that take too long.
  ['D1 DB is overloaded. Requests queued for too long.', BUSY],
  ['D1 DB is overloaded. Too many requests queued.', BUSY],
  ['D1 DB storage operation exceeded timeout which caused object to be reset.', BUSY],
  ["D1 DB's isolate exceeded its memory limit and was reset.", BUSY],
  ['D1 DB exceeded its CPU time limit and was reset.', BUSY],
  // The database restarts, or moves.
  ['D1 DB reset because its code was updated.', BUSY],
  ['Internal error while starting up D1 DB storage caused object to be reset.', BUSY],
  ['Internal error in D1 DB storage caused object to be reset.', BUSY],
  // The network between the Worker and the database.
  ['Network connection lost.', BUSY],
  ['Cannot resolve D1 DB due to transient issue on remote node.', BUSY],
  ["Can't read from request stream because client disconnected.", BUSY],
  // An export blocks all other requests.
  ['Currently processing a long-running export.', BUSY],
  // Another connection holds the file; the disk cannot be read or written.
  ['SQLITE_BUSY', BUSY],
  ['SQLITE_IOERR', BUSY],
]

/** When to try again after a failure that passes by itself. */
export const BUSY_RETRY_AFTER_SECONDS = String(BUSY.retryAfterSeconds)

/** Finds out whether an error is D1's refusal of a statement that is right; undefined for any other error. */
export function findRefusal({ message }: Error): Refusal | undefined {
  return REFUSALS.find(([text]) => message.includes(firstSentenceOf(text)))?.[1]
}

/** Without its full stop, which some messages lack; a second sentence only says more of the same. */
function firstSentenceOf(text: string): string {
  return text.replace(/\.(?: .*)?$/, '')
}
