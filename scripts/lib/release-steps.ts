import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from './failure.ts'
import type { Skippable } from './release-arguments.ts'
import { findVersionFaults } from './release-versions.ts'
import { git, readTextFiles, runIn } from './repository.ts'

/** What the steps of a release know. */
export interface Release {
  version: string
  /** The folder of the project. */
  root: string
  /** Where the project is cloned to: a folder that does not exist. */
  clone: string
  /** Such as `2026-11-30`, in UTC. */
  today: string
}

/** A step of a release. It fails with what is not as it has to be. */
interface Step {
  name: 'tree' | 'versions' | Skippable
  title: string
  /** Whether it works in the clone, which is made before the first such step. */
  needsClone: boolean
  run(release: Release): Promise<void>
}

/** Registry: what a release needs. Those that take a second come first. */
export const STEPS: readonly Step[] = [
  { name: 'tree', title: 'nothing is uncommitted, and there is no such tag', needsClone: false, run: checkTree },
  { name: 'versions', title: 'all files name the version, and its day', needsClone: false, run: checkVersions },
  {
    name: 'documents',
    title: 'the generated files have the same bytes if they are written anew',
    needsClone: true,
    async run({ clone, root }) {
      await runIn(clone, root, ['npm', 'run', 'generate'])
      const changed = await git(clone, 'status', '--porcelain')
      if (changed !== '') throw new Failure(`npm run generate writes other files than those in git:\n${changed}`)
    },
  },
  {
    name: 'scoreboard',
    title: 'the scoreboard has the same bytes, but for days, if recordings are judged anew',
    needsClone: true,
    run: ({ clone, root }) => runIn(clone, root, ['npm', 'run', 'scoreboard', '--', '--judge', '--check']),
  },
  {
    name: 'ci',
    title: '.ci/run passes',
    needsClone: true,
    run: ({ clone, root }) => runIn(clone, root, [join(clone, '.ci', 'run')]),
  },
  {
    name: 'interop',
    title: 'npm run interop -- --all passes, and all clients give the same scoreboard',
    needsClone: true,
    run: ({ clone, root }) => runIn(clone, root, [join(clone, '.ci', 'run'), 'interop', '--all']),
  },
]

async function checkTree({ root, version }: Release): Promise<void> {
  const changed = await git(root, 'status', '--porcelain')
  if (changed !== '') throw new Failure(`Files are not committed:\n${changed}`)
  const tags = await git(root, 'tag', '--list', tagOf(version))
  if (tags !== '') throw new Failure(`There is a tag ${tags} already.`)
}

async function checkVersions({ root, version, today }: Release): Promise<void> {
  const faults = findVersionFaults(version, await readTextFiles(root), today)
  if (faults.length > 0) throw new Failure(faults.join('\n'))
}

/** Clones the commit, and installs the packages. */
export async function makeClone({ root, clone }: Release): Promise<void> {
  if (existsSync(clone)) return
  const commit = await git(root, 'rev-parse', 'HEAD')
  await git(root, 'clone', '--quiet', '--no-checkout', root, clone)
  await git(clone, 'checkout', '--quiet', '--detach', commit)
  await runIn(clone, root, ['npm', 'ci'])
}

/** The tag says what nobody has checked. */
export async function tag({ root, version }: Release, skipped: readonly string[]): Promise<void> {
  const messages = [`Galaxy ${version}`, ...(skipped.length > 0 ? [`Not checked: ${skipped.join(', ')}.`] : [])]
  await git(root, 'tag', '--annotate', tagOf(version), ...messages.flatMap((message) => ['--message', message]))
}

export const tagOf = (version: string) => `v${version}`
