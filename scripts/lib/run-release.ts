import { Failure } from './failure.ts'
import type { ReleaseArguments } from './release-arguments.ts'
import { makeClone, type Release, STEPS, tag, tagOf } from './release-steps.ts'

const MS_PER_SECOND = 1000

/**
 * Checks what a release needs, step by step, and tags the commit unless it is a dry run.
 *
 * @param print Gets a line for each step: what it has found, or that it was skipped
 * @throws Failure with the first thing that is not as it has to be. Then there is no tag
 */
export async function release(
  { version, isDryRun, skipped }: ReleaseArguments,
  place: Omit<Release, 'version'>,
  print: (line: string) => void,
): Promise<void> {
  const context: Release = { ...place, version }
  const isSkipped = (name: string) => skipped.some((step) => step === name)
  for (const { name, title, needsClone, run } of STEPS) {
    if (isSkipped(name)) {
      print(`skipped  ${name}: not checked that ${title}`)
      continue
    }
    const begin = performance.now()
    try {
      if (needsClone) await makeClone(context)
      await run(context)
    } catch (error) {
      throw new Failure(`failed   ${name}: ${error instanceof Error ? error.message : error}`)
    }
    print(`ok       ${name}: ${title} (${((performance.now() - begin) / MS_PER_SECOND).toFixed(0)} s)`)
  }
  const left = skipped.length === 0 ? '' : ` Skipped: ${skipped.join(', ')}.`
  if (isDryRun) return print(`A dry run: ${tagOf(version)} is not tagged.${left}`)
  await tag(context, skipped)
  print(`Tagged ${tagOf(version)}.${left} Publish it: git push origin ${tagOf(version)}`)
}
