import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'

// Reads the pages of docs/: their sections, tables and code.

const run = promisify(execFile)

/** The text under a heading, up to the next one. */
export function sectionOf(text: string, heading: string): string {
  const [section] = text.split(`\n${heading}\n`)[1]?.split(/^##+ /m) ?? []
  if (section === undefined) throw new Error(`there is no heading ${heading}`)
  return section
}

/** The same without line breaks, so that a sentence is found wherever it is wrapped. */
export function proseOf(text: string, heading: string): string {
  return sectionOf(text, heading).replaceAll('\n', ' ')
}

/** The blocks of code of a section in a language. */
export function codesOf(section: string, language: string): string[] {
  const blocks = section.matchAll(/^```(\w+)\n(.*?)^```$/gms)
  return [...blocks].filter(([, name]) => name === language).map(([, , code = '']) => code)
}

/** How long `runLines` lets a block run, in milliseconds. It is less than a test may take. */
const RUN_MS_MAX = 90_000

/**
 * Runs the first block of a section line by line, at another address.
 *
 * @returns What each line printed, if anything
 * @throws Error with the output if the block takes longer than RUN_MS_MAX
 */
export async function runLines(section: string, url: string): Promise<string[]> {
  const lines = codesOf(section, 'bash')[0]?.trim().split('\n') ?? []
  const script = lines.map((line) => `${line.replace('http://localhost:8787', url)}\necho; echo "== $? =="`).join('\n')
  const { stdout } = await run('bash', ['-c', script], { timeout: RUN_MS_MAX })
  const outputs = stdout.split(/== 0 ==\n/)
  expect(outputs).toHaveLength(lines.length + 1)
  return outputs.map((output) => output.trim()).filter(Boolean)
}

/** The cells of the first table, without the marks of code, by the first cell of each row. */
export function tableOf(section: string): Map<string, string[]> {
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? []
  const cellsOf = (row: string) =>
    row
      .replaceAll('`', '')
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  const rows = table.trim().split('\n').slice(2).map(cellsOf)
  return new Map(rows.map(([name = '', ...cells]) => [name, cells]))
}
