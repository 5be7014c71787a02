import type { RequestParts } from '../../documents/request.ts'

/** A request that differs from the one that we would send. */
export interface Form {
  /** What is wrong; of an open case, the variant. */
  name: string
  verdict: 'fail' | 'non-strict' | 'info'
  /** What is other than in the request that we would send. A header that is null is left out. */
  change: Partial<Omit<RequestParts, 'headers'>> & { headers?: Readonly<Record<string, string | null>> }
}

/** By the names of the cases of a group. */
export type FormsOfGroup = Readonly<Record<string, readonly Form[]>>

export const fail = (name: string, change: Form['change']): Form => ({ name, verdict: 'fail', change })
export const nonStrict = (name: string, change: Form['change']): Form => ({ name, verdict: 'non-strict', change })
export const info = (name: string, change: Form['change']): Form => ({ name, verdict: 'info', change })

/** @param type The Content-Type. Null: none */
export const typed = (type: string | null) => ({ headers: { 'Content-Type': type } })
