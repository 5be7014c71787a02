/** What is behind the error of `fetch`, which itself only says that it failed. */
export function rootCauseOf(error: unknown): NodeJS.ErrnoException {
  const { cause } = error as Error
  if (cause === undefined) return error as NodeJS.ErrnoException
  const [first] = cause instanceof AggregateError ? cause.errors : [cause]
  return rootCauseOf(first)
}
