import type { Bytes } from './text.ts'
import { toText } from './text.ts'

/** A difference: where it begins, and what it is. */
export interface Finding {
  at: number
  reason: string
}

/** A part of a request that is judged by itself, and the first of its differences. */
export interface Part {
  received: Bytes
  /** What is between the parts of a form. It is random, but no secret. */
  delimiter?: Bytes
  /** `received` without credentials, as soon as it was needed. */
  masked?: Bytes
  /** What makes it another value. */
  fail?: Finding
  /** What only tolerant servers read. */
  nonStrict?: Finding
}

export function makePart(received: Bytes): Part {
  return { received }
}

/** Notes a difference. Of several the one that begins first counts, and of those at one place the first that is noted. */
export function report(part: Part, kind: 'fail' | 'nonStrict', at: number, reason: string): void {
  const noted = part[kind]
  if (noted === undefined || at < noted.at) part[kind] = { at, reason }
}

/** Runs a comparison. If it finds the difference that counts, `reason` says what it is. */
export function explain(part: Part, reason: string | undefined, compare: () => void): void {
  const before = part.fail
  compare()
  if (reason !== undefined && part.fail && part.fail !== before) part.fail = { ...part.fail, reason }
}

/** This many bytes of what a caller sent are shown in a sentence. */
const QUOTED_MAX_BYTES = 40

/** What a caller sent, cut and in quotes, for a sentence. */
export function quote(bytes: Bytes): string {
  if (bytes.length <= QUOTED_MAX_BYTES) return JSON.stringify(toText(bytes))
  return `${JSON.stringify(toText(bytes.slice(0, QUOTED_MAX_BYTES)).replace(/\ufffd+$/, '')).slice(0, -1)}…"`
}

/** Breaks off a reader, where it cannot go on. */
export class Stop extends Error {}

/** Notes the difference after which a reader does not go on. */
export function stop(part: Part, at: number, reason: string): never {
  report(part, 'fail', at, reason)
  throw new Stop()
}

export function untilStop(read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof Stop)) throw error
  }
}
