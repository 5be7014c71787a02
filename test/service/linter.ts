import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/root.ts'

/** The command line of Redocly, which also runs workflows. */
export const LINTER = join(ROOT, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js')

/** It would otherwise report each run to its maker, and look for a newer version. */
export const LINTER_ENVIRONMENT = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

/** Bytes that the linter may print. */
const OUTPUT_MAX = 50_000_000

interface Problem {
  severity: string
  ruleId: string
  message: string
  location: { pointer?: string }[]
}

/**
 * Lints a document with `redocly lint` and its stricter rules.
 *
 * @param text The document, as JSON
 * @returns One line for each error and warning
 * @throws If the linter itself fails
 */
export async function lint(text: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-lint-'))
  try {
    await writeFile(join(folder, 'document.json'), text)
    const { problems }: { problems: Problem[] } = JSON.parse(await runLinter(folder))
    return problems.map(
      ({ severity, ruleId, message, location: [place] }) => `${severity} ${ruleId}: ${message} (${place?.pointer})`,
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns what the linter prints. It ends with 1 if it has found problems, too. */
function runLinter(folder: string): Promise<string> {
  // By default, it shows only 100 problems.
  const parameters = [LINTER, 'lint', 'document.json', '--extends', 'recommended-strict', '--format', 'json']
  const options = { cwd: folder, env: LINTER_ENVIRONMENT, maxBuffer: OUTPUT_MAX }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...parameters, '--max-problems', '10000'], options, (error, output, messages) => {
      if (output.startsWith('{')) resolve(output)
      else reject(new Error(`The linter failed: ${messages}`, { cause: error }))
    })
  })
}
