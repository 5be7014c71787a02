/// <reference types="vite/client" />
import { describe, expect, it } from 'vitest'
import { eachRow } from '../../../support/each-row.ts'
import readme from './README.md?raw'

const SOURCES = import.meta.glob<string>('./*/*.test.ts', { query: '?raw', import: 'default', eager: true })
const ROWS = [...readme.matchAll(/^\| *(.+?) *\|.+\| `(.+)`: (.+?) *\|$/gm)].map(
  ([, requirement = '', file = '', title = '']) => ({ requirement, file, title }),
)

/** The quoted texts of a test file. A failure shows them, so that the intended one can be found. */
function titlesOf(file: string): string[] {
  const quoted = (SOURCES[`./${file}`] ?? '').matchAll(/(?<=[(\s])(?:'([^'\n]+)'|"([^"\n]+)")(?=,\s)/g)
  return [...quoted].map(([, single, double]) => single ?? double ?? '')
}

describe('the table of requirements', () => {
  it('names tests that exist', () =>
    eachRow(ROWS, ({ file, title }) => {
      expect(titlesOf(file), `a row of README.md names a test that ${file} does not have`).toContain(title)
    }))

  it('has a row for every file, and every row in its form', () => {
    expect(new Set(ROWS.map(({ file }) => `./${file}`))).toEqual(new Set(Object.keys(SOURCES)))
    const lines = readme.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:requirement|-)/.test(line))
    expect(ROWS).toHaveLength(lines.length)
  })
})
