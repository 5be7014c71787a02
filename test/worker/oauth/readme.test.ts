/// <reference types="vite/client" />
import { describe, expect, it } from 'vitest'
import readme from './README.md?raw'

const SOURCES = import.meta.glob<string>('./*/*.test.ts', { query: '?raw', import: 'default', eager: true })
const ROWS = [...readme.matchAll(/^\| *(.+?) *\|.+\| `(.+)`: (.+?) *\|$/gm)].map(
  ([, requirement = '', file = '', title = '']) => ({ requirement, file, title }),
)

describe('the table of requirements', () => {
  it.each(ROWS)('names a test that exists: $requirement', ({ file, title }) => {
    const quoted = [`'${title}'`, `"${title}"`]
    expect(quoted.some((text) => SOURCES[`./${file}`]?.includes(text))).toBe(true)
  })

  it('has a row for every file, and every row in its form', () => {
    expect(new Set(ROWS.map(({ file }) => `./${file}`))).toEqual(new Set(Object.keys(SOURCES)))
    const lines = readme.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:requirement|-)/.test(line))
    expect(ROWS).toHaveLength(lines.length)
  })
})
