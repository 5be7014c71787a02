// The header `Prefer` (RFC 7240). What callers can request with it is in features/faults/prefer.ts.

/** The longest delay that a caller can request, with `Prefer` or at the echo. */
export const DELAY_MAX_SECONDS = 10

// A preference and its parameters, up to a comma outside a quoted string (RFC 9110, section 5.6.4). A quoted string
// that is never closed extends to the end.
const PREFERENCE = /(?:"(?:\\.|[^"\\])*"?|[^",])+/gs
// Up to a semicolon outside a quoted string.
const WITHOUT_PARAMETERS = /^(?:"(?:\\.|[^"\\])*"?|[^";])*/s

/**
 * The preferences of a Prefer header by name, without their parameters. If a preference is repeated, its first value is
 * used (RFC 7240, section 2).
 */
export function parsePreferences(header: string): Map<string, string> {
  const preferences = new Map<string, string>()
  for (const item of header.match(PREFERENCE) ?? []) {
    const [preference = ''] = WITHOUT_PARAMETERS.exec(item) ?? []
    const [name = '', ...value] = preference.split('=')
    const key = name.trim().toLowerCase()
    if (!preferences.has(key)) preferences.set(key, unquote(value.join('=').trim()))
  }
  return preferences
}

/** The content of a quoted string; any other text unchanged. */
function unquote(text: string): string {
  const [, quoted] = /^"(.*)"$/s.exec(text) ?? []
  return quoted === undefined ? text : quoted.replaceAll(/\\(.)/gs, '$1')
}
