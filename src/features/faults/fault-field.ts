import type { Decided } from './book.ts'
import type { ActionName } from './schemas.ts'

/** The header that says what a rule did to an answer. */
export const FAULT_HEADER = 'Galaxy-Fault'

/** What was done to an answer; no action if the request passed. */
export interface Done {
  action: ActionName | null
  isApplied: boolean
  pointer?: string | undefined
}

/** Writes the header: a dictionary of structured fields (RFC 9651, section 3.2). */
export function writeFaultField({ rule, attempt }: Decided, { action, isApplied, pointer }: Done): string {
  const members = [`rule=${writeText(rule.name)}`, `attempt=${attempt}`]
  if (action !== null) members.push(`action=${writeText(action)}`)
  if (pointer !== undefined) members.push(`at=${writeText(pointer)}`)
  // A member that is true has no value (section 4.1.2).
  if (action !== null) members.push(isApplied ? 'applied' : 'applied=?0')
  return members.join(', ')
}

/** A string of a structured field (RFC 9651, section 3.3.3). Characters that it cannot have become `?`. */
export function writeText(text: string): string {
  return `"${text.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, '\\$&')}"`
}
