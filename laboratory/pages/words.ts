import type { Cell } from '../scoreboard/results.ts'

/** What a cell of the table shows: its verdict, or that there is none. */
type Sign = Cell['verdict'] | 'unasked'

/** What a sign is called. It is in browser/styles/scoreboard.css, by the same name. */
export const WORDS: Readonly<Record<Sign, string>> = {
  pass: 'passed',
  'non-strict': 'passed, not strictly',
  fail: 'failed',
  incomplete: 'not finished',
  missing: 'no request to judge',
  info: 'observed',
  skipped: 'left out',
  stops: 'stops',
  unasked: 'not asked',
}

/** What each sign means. */
export const LEGEND: readonly (readonly [sign: Sign, meaning: string])[] = [
  ['pass', 'passed'],
  ['non-strict', 'passed, but only because servers are tolerant'],
  ['fail', 'failed: another value arrived'],
  ['missing', 'failed: no request came, or not the second one'],
  ['info', 'no verdict: the case is open, or the client left undone what it may leave'],
  ['skipped', 'left to the user of the client, or its document cannot say it'],
  ['stops', 'the generator or its compiler stops here'],
  ['unasked', 'not asked: the case is newer than the run'],
]
