import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Short files of test/service that take long. vitest begins with large files if it does not know how long they take, and
 * these would be the last, with nothing left to run beside them.
 */
const LONG = [
  'imports',
  'conformance',
  'reference-calls',
  'clients',
  'export-import-wrangler',
  'operator',
  'universes-crash',
  'crash',
  'documented-commands',
  'seed',
  'start-cost',
  'sign-ups',
].map((name) => `/test/service/${name}.test.ts`)

const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(name))

/** Begins with files that take long, in each group of projects. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || Number(isLong(b)) - Number(isLong(a)))
  }
}
