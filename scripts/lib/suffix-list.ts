import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as Trie from 'tldts/dist/types/src/data/trie.d.ts'
import { writeIfChanged } from './built-files.ts'
import { ROOT } from './root.ts'

/** The file that the Worker reads (src/stores/suffix-list.ts). */
const FILE = join(ROOT, 'dist', 'browser', 'public', 'suffixes', 'public-suffixes.txt')

// The package exports no list of its rules, but it has them as a tree of labels. The edges of all nodes are in one
// list, node after node: `edgeStart` has the place of the first edge of each node. A node has flags if a rule ends
// there.
const { edgeChild, edgeLength, edgeStart, exceptionsRoot, labelText, nodeFlags, rulesRoot }: typeof Trie =
  createRequire(import.meta.url)('tldts/dist/cjs/src/data/trie.js')

const PRINTABLE_ASCII = /^[!-~]+$/

/** Writes the public suffix list: a rule in each line. */
export async function buildSuffixList(): Promise<void> {
  await writeIfChanged(FILE, Buffer.from(`${readPublicSuffixes().join('\n')}\n`))
}

/** The rules of the public suffix list, as the list writes them. */
export function readPublicSuffixes(): string[] {
  const rules = [...namesBelow(rulesRoot), ...namesBelow(exceptionsRoot).map((name) => `!${name}`)]
  // The URL parser writes hosts in ASCII. The tree has every rule with other characters in Punycode too.
  return rules.filter((rule) => PRINTABLE_ASCII.test(rule))
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
  const [firstEdge = 0, edgesEnd = 0] = [edgeStart[node], edgeStart[node + 1]]
  for (let edge = firstEdge; edge < edgesEnd; edge++) {
    const [start = 0, child = 0] = [labelStarts[edge], edgeChild[edge]]
    const label = labelText.slice(start, start + (edgeLength[edge] ?? 0))
    const name = parent === '' ? label : `${label}.${parent}`
    if (nodeFlags[child] !== 0) names.push(name)
    names.push(...namesBelow(child, name))
  }
  return names
}
