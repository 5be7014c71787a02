import type { Statement } from '../../src/db/port.ts'

/** Whether a statement writes. */
export function isWrite({ sql }: Statement): boolean {
  return /^\s*(?:insert|update|delete)/i.test(sql)
}
