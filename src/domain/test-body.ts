import type { Defect } from './receiver-tests.ts'

/** A member with characters outside ASCII, and with escapes that are kept as they stand. */
const UNICODE_MEMBER = String.raw`"unicode":"é 火 🪐 \u00e9 \ud83e\ude90 \/"`
const CHANGED_MEMBER = '"changed":true'

/**
 * The body that a test sends.
 *
 * @param payload An object as `JSON.stringify` writes it
 */
export function writeTestBody(defect: Defect, payload: string): string {
  return defect === 'body-changed' ? addMember(payload, CHANGED_MEMBER) : writeSignedBody(defect, payload)
}

/** The body over which signatures are made: what is sent, without a change that follows. */
export function writeSignedBody(defect: Defect, payload: string): string {
  if (defect === 'pretty') return writePretty(payload)
  return defect === 'unicode' ? addMember(payload, UNICODE_MEMBER) : payload
}

/** With two spaces of indentation, and a line feed at the end of each line. */
export function writePretty(payload: string): string {
  return `${JSON.stringify(JSON.parse(payload), null, 2)}\n`
}

/** Adds a member at the end of an object. */
function addMember(payload: string, member: string): string {
  const others = payload.slice(0, payload.lastIndexOf('}'))
  return `${others}${others === '{' ? '' : ','}${member}}`
}
