/** A string of a structured field (RFC 9651, section 3.3.3). Characters that it cannot have become `?`. */
export function writeText(text: string): string {
  return `"${text.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, '\\$&')}"`
}
