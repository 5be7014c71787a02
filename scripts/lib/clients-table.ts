import type { Scoreboard } from '../../laboratory/scoreboard/results.ts'
import { type Count, viewClients } from '../../laboratory/scoreboard/view.ts'

/** The lines in docs/lab.md that follow from docs/scoreboard.json. */
const BLOCK = /(?<=<!-- The clients: npm run generate -->\n\n).*?(?=\n\n<!-- end -->)/s

/** docs/lab.md, with the table of the clients on the scoreboard as it is now. @throws Error if it has no place for it */
export function withClients(page: string, scoreboard: Scoreboard): string {
  if (!BLOCK.test(page)) throw new Error('docs/lab.md has no place for the table of clients.')
  return page.replace(BLOCK, () => writeClients(scoreboard))
}

const share = ({ passed, cases }: Count) => `${passed}/${cases}`

/** A table as Markdown's formatters write it: each column is as wide as its longest cell. */
function writeClients(scoreboard: Scoreboard): string {
  const rows = viewClients(scoreboard).map(({ name, tool, language, version, levels }) => [
    name === tool ? name : `${name} (${tool})`,
    language,
    version,
    share(levels.core),
    share(levels.extended),
  ])
  const head = ['client', 'language', 'version', 'core', 'extended']
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
