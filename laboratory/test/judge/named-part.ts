import { expect } from 'vitest'
import type { Judgement, PartName } from '../../case.ts'

/** Words for a part. A form, XML, and parts of a form are a body. */
const WORDS: Readonly<Partial<Record<PartName, RegExp>>> = {
  path: /\bpath\b/,
  query: /\bquery\b/,
  cookie: /\bcookies?\b/,
  body: /\b(?:body|form|XML|part)\b/,
}

/** A reason says which part was judged, in its own words: what a caller sent does not count, nor what was cut off. */
export function expectNamedPart({ part, reason }: Pick<Judgement, 'part' | 'reason'>): void {
  if (part === null || reason === null || reason.endsWith('…')) return
  const own = reason.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
  expect(own, part).toMatch(WORDS[part] ?? new RegExp(`\\b${part.replace('header ', '')}\\b`, 'i'))
}
