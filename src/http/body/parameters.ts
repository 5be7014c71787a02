/** The names of parameters that are sent more than once. */
export function repeatedNames(sent: URLSearchParams): string[] {
  return [...new Set(sent.keys())].filter((name) => sent.getAll(name).length > 1)
}
