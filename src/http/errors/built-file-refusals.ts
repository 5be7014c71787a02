import type { Refusal } from '../../domain/refusal.ts'
import { UNREADABLE_FILE } from '../../lib/built-file.ts'

const BUSY: Refusal = {
  retryAfterSeconds: 5,
  detail: 'A part of the service is temporarily unavailable. Try again shortly.',
}

/** The refusal for the error that a file of the build cannot be read at the moment; undefined for any other error. */
export function findBuiltFileRefusal({ message }: Error): Refusal | undefined {
  return message.startsWith(UNREADABLE_FILE) ? BUSY : undefined
}
