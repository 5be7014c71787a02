import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInstalled } from './installed.ts'

// xmllint prints many messages about many documents.
const STDERR_MAX_BYTES = 256 * 1024 * 1024

/** Whether xmllint, which judges XML independently, is installed. */
export const hasXmllint = isInstalled(
  'xmllint (Debian: libxml2-utils)',
  ['xmllint', '--version'],
  'whether another parser agrees with ours',
)

/** The grammar of problems in XML (RFC 9457, appendix B). */
export const PROBLEMS = join(import.meta.dirname, 'problem.rng')

/**
 * The error of xmllint for each document; empty if the document is well-formed.
 *
 * @param grammar The path of a grammar (RELAX NG) to which the documents must conform
 */
export function judge(documents: readonly (string | Uint8Array)[], grammar?: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'galaxy-xmllint-'))
  const names = documents.map((_, index) => `${index}.xml`)
  for (const [index, document] of documents.entries()) writeFileSync(join(folder, `${index}.xml`), document)
  const options = { cwd: folder, encoding: 'latin1', maxBuffer: STDERR_MAX_BYTES } as const
  const by = grammar === undefined ? [] : ['--relaxng', grammar]
  const { stderr, error } = spawnSync('xmllint', ['--noout', '--nonet', ...by, ...names], options)
  rmSync(folder, { recursive: true })
  if (error) throw error
  // Only parser errors count: namespaces have nothing to do with being well-formed, and a warning is not an error.
  const complaints = new Map(
    [...stderr.matchAll(/^(\d+\.xml)(?::\d+: parser error .*| fails to validate)$/gm)].map(([line, name]) => [
      name,
      line,
    ]),
  )
  return names.map((name) => complaints.get(name) ?? '')
}
