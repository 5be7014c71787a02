/**
 * The innermost cause of an error. The errors around it contain statements and their values, which may be secret.
 */
export function rootCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? rootCause(error.cause) : error
}
