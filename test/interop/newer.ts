import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/root.ts'
import { sectionOf, tableOf } from '../service/documentation.ts'

// What docs/tools.md says that tools do with the document in OpenAPI 3.2.

const page = readFileSync(join(ROOT, 'docs', 'tools.md'), 'utf8')
const table = tableOf(sectionOf(page, '### The document in OpenAPI 3.2'))

/** What the page says of a tool. The texts are those of the cells, without the marks of code. */
interface Claim {
  version: string
  /** `yes`, or `no: ` with what it says. */
  reads: string
  /** Whether it has QUERY: `yes` or `no`. */
  query: string
  /** What it does with the parameter that is the whole query of the URL. */
  queryString: string
  /** What it does with the items of streams. */
  items: string
}

/** @throws Error if the page has no row for the tool */
export function claimOf(tool: string): Claim {
  const [version, reads, query, queryString, items] = table.get(tool) ?? []
  if (version === undefined || reads === undefined || query === undefined) throw new Error(`there is no row ${tool}`)
  return { version, reads, query, queryString: String(queryString), items: String(items) }
}

/** Says in the words of the page whether something is so. */
export const yesOrNo = (value: boolean) => (value ? 'yes' : 'no')
