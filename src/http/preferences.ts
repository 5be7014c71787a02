// The header `Prefer` (RFC 7240). What callers can request of every operation is in features/faults/prefer.ts.

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

/** What a client prefers if work goes on after the response (RFC 7240, sections 4.1 and 4.3). */
export interface WorkPreferences {
  /** How long the client wants to wait for the end of the work, in seconds. */
  waitSeconds: number
  /** The headers of the response, which name the preferences that were applied. */
  headers: Readonly<Record<string, string>>
}

/** A wait above DELAY_MAX_SECONDS is reduced to it. A value that cannot be read is ignored (RFC 7240, section 2). */
export function readWorkPreferences(headers: Headers): WorkPreferences {
  const preferences = parsePreferences(headers.get('Prefer') ?? '')
  const wait = preferences.get('wait') ?? ''
  const waitSeconds = /^[0-9]+$/.test(wait) ? Math.min(Number(wait), DELAY_MAX_SECONDS) : undefined
  const applied = [
    ...(preferences.get('respond-async') === '' ? ['respond-async'] : []),
    ...(waitSeconds === undefined ? [] : [`wait=${waitSeconds}`]),
  ]
  return {
    waitSeconds: waitSeconds ?? 0,
    headers: applied.length > 0 ? { 'Preference-Applied': applied.join(', ') } : {},
  }
}

/** The content of a quoted string; any other text unchanged. */
function unquote(text: string): string {
  const [, quoted] = /^"(.*)"$/s.exec(text) ?? []
  return quoted === undefined ? text : quoted.replaceAll(/\\(.)/gs, '$1')
}
