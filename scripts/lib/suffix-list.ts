import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as Trie from 'tldts/dist/types/src/data/trie.d.ts'
import { writeIfChanged } from './built-files.ts'
import { ROOT } from './wrangler.ts'

/** The file that the Worker reads (src/stores/suffix-list.ts). */
const FILE = join(ROOT, 'dist', 'browser', 'public', 'suffixes', 'public-suffixes.txt')

// The package exports no list of its rules, but it has them as a tree of labels.
const { edgeChild, edgeLength, edgeStart, exceptionsRoot, labelText, nodeFlags, rulesRoot }: typeof Trie =
  createRequire(import.meta.url)('tldts/dist/cjs/src/data/trie.js')

/** Writes the public suffix list: a rule in each line. */
export async function buildSuffixList(): Promise<void> {
  await writeIfChanged(FILE, Buffer.from(`${readPublicSuffixes().join('\n')}\n`))
}

/** The rules of the public suffix list, as the list writes them. */
export function readPublicSuffixes(): string[] {
  const rules = [...namesBelow(rulesRoot), ...namesBelow(exceptionsRoot).map((name) => `!${name}`)]
  // The Worker has hosts as the URL parser writes them.
  return rules.filter((rule) => /^[!-~]+$/.test(rule))
}

/** Where the label of each edge begins in the text of all labels. */
const labelStarts: number[] = []
let end = 0
for (const length of edgeLength) {
  labelStarts.push(end)
  end += length
}

/** The names of all rules below a node. @param parent The name of the node */
function namesBelow(node: number, parent = ''): string[] {
  const names: string[] = []
  for (let edge = edgeStart[node] ?? 0; edge < (edgeStart[node + 1] ?? 0); edge++) {
    const [start = 0, child = 0] = [labelStarts[edge], edgeChild[edge]]
    const label = labelText.slice(start, start + (edgeLength[edge] ?? 0))
    const name = parent === '' ? label : `${label}.${parent}`
    if (nodeFlags[child] !== 0) names.push(name)
    names.push(...namesBelow(child, name))
  }
  return names
}
