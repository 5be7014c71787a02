import { parseArgs } from 'node:util'
import { isVersion } from './release-versions.ts'

/** The steps that can be skipped. The others take a second, and the tag depends on them. */
export const SKIPPABLE = ['ci', 'interop', 'documents', 'scoreboard'] as const
export type Skippable = (typeof SKIPPABLE)[number]

export const USAGE = `npm run release -- VERSION [--dry-run] [--skip STEP ...]\nSTEP is ${SKIPPABLE.join(', ')}. Without --dry-run, the commit gets the tag vVERSION, which nothing pushes.`

export interface ReleaseArguments {
  version: string
  /** Whether everything is checked, and nothing tagged. */
  isDryRun: boolean
  skipped: readonly Skippable[]
}

/** @throws Error if an argument is missing or not valid */
export function readReleaseArguments(args: string[]): ReleaseArguments {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false }, skip: { type: 'string', multiple: true, default: [] } },
  })
  const [version = '', ...others] = positionals
  if (others.length > 0) throw new Error(`there are several versions: ${positionals.join(', ')}`)
  if (!isVersion(version)) throw new Error('VERSION must be one such as 2.0.0')
  const unknown = values.skip.find((step) => !isSkippable(step))
  if (unknown !== undefined) throw new Error(`${unknown} is no step that can be skipped`)
  return { version, isDryRun: values['dry-run'], skipped: values.skip.filter(isSkippable) }
}

function isSkippable(step: string): step is Skippable {
  return SKIPPABLE.some((name) => name === step)
}
