/** A `~` that is no escape (RFC 6901, section 3). */
const BROKEN_ESCAPE = /~(?![01])/

/** The names in a JSON Pointer (RFC 6901), without their escapes; undefined if the text is no pointer. */
export function parsePointer(text: string): string[] | undefined {
  const [beforeFirstSlash, ...tokens] = text.split('/')
  if (beforeFirstSlash !== '' || BROKEN_ESCAPE.test(text)) return undefined
  // In this order, so that `~01` means `~1` (section 4).
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Whether a location contains another one. A location does not contain itself. */
export function isInside(inner: readonly string[], outer: readonly string[]): boolean {
  return outer.length < inner.length && outer.every((token, index) => token === inner[index])
}
