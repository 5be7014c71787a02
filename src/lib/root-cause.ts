/**
 * What an error comes from in the end. The layers in between put statements and their values into their messages, and
 * those may be secret.
 */
export function rootCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? rootCause(error.cause) : error
}
