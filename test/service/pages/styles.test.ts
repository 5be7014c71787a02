import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'

// Pages are judged on a wide light screen and on a narrow dark one. That finds every fault only if no style depends on
// both.

const FOLDER = join(ROOT, 'browser', 'styles')
/** A rule for some widths, with the rules inside it. */
const OF_WIDTHS = /@(?:media|container)[^{]*width[^{]*\{((?:[^{}]*\{[^{}]*\})*)\s*\}/g
const COLOUR = /(?:color|background|border|outline|fill|stroke|shadow|opacity|filter)[\w-]*:|light-dark|color-scheme/g

const styles = await Promise.all(
  (await readdir(FOLDER)).map(async (name) => [name, await readFile(join(FOLDER, name), 'utf8')] as const),
)

it('no colour depends on the width of the screen', () => {
  const rules = styles.flatMap(([name, text]) => [...text.matchAll(OF_WIDTHS)].map(([, rule = '']) => ({ name, rule })))
  expect(rules.length).toBe(styles.join().match(/@(?:media|container)[^{]*width/g)?.length)
  expect(rules.flatMap(({ name, rule }) => (rule.match(COLOUR) ?? []).map((found) => `${name}: ${found}`))).toEqual([])
})

it('no length depends on the colour scheme', () => {
  const text = styles.join()
  expect(text).not.toContain('prefers-color-scheme')
  const pairs = [...text.matchAll(/light-dark\(([^)]*)\)/g)].map(([, pair]) => pair)
  expect(pairs.length).toBeGreaterThan(20)
  for (const pair of pairs) expect(pair).toMatch(/^#[0-9a-f]{6}, #[0-9a-f]{6}$/)
})
