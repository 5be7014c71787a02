import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// It has much to say of many documents.
const STDERR_MAX_BYTES = 256 * 1024 * 1024

/** Whether there is an outside judge of XML on this machine. */
export const hasXmllint = spawnSync('xmllint', ['--version']).error === undefined

if (!hasXmllint) {
  console.warn('\n*** xmllint is not installed (Debian: libxml2-utils): nobody but ourselves judges the XML. ***\n')
}

/** What xmllint says against each of these documents; nothing where it is well-formed. */
export function judge(documents: readonly (string | Uint8Array)[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'galaxy-xmllint-'))
  const names = documents.map((_, index) => `${index}.xml`)
  for (const [index, document] of documents.entries()) writeFileSync(join(folder, `${index}.xml`), document)
  const options = { cwd: folder, encoding: 'latin1', maxBuffer: STDERR_MAX_BYTES } as const
  const { stderr, error } = spawnSync('xmllint', ['--noout', '--nonet', ...names], options)
  rmSync(folder, { recursive: true })
  if (error) throw error
  // Namespaces are not a matter of being well-formed, and a warning is not an error.
  const complaints = new Map(
    [...stderr.matchAll(/^(\d+\.xml):\d+: parser error .*$/gm)].map(([line, name]) => [name, line]),
  )
  return names.map((name) => complaints.get(name) ?? '')
}
