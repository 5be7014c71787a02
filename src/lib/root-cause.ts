/**
 * The innermost cause of an error. Use it for logs, because the errors around it may contain SQL statements with their
 * values, which may be secret.
 */
export function rootCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? rootCause(error.cause) : error
}
