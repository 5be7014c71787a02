import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'

// docs/tools.md names the versions that the tests use. What was tried once by hand has a date beside its version.

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The versions of the packages of npm that the tests of tools use. */
const versions = new Map(
  ['package.json', 'test/interop/tools/package.json', 'test/interop/clients/package.json'].flatMap((path) => {
    const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(read(path))
    return Object.entries(devDependencies)
  }),
)

/** The packages of npm in the first column of each table, and the version in the second. */
const rows = read('docs/tools.md')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.slice(1, -1).split(' | '))
  .map(([tool = '', version = '']) => ({
    packages: [...tool.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).filter((name) => versions.has(name)),
    version: version.trim(),
  }))
  .filter(({ packages }) => packages.length > 0)

it('has a row for importers, generators and validators', () => {
  const found = rows.flatMap(({ packages }) => packages)
  expect(found).toEqual(
    expect.arrayContaining(['swagger-ui-dist', 'openapi-to-postmanv2', '@hey-api/openapi-ts', '@redocly/cli']),
  )
})

it.each(rows)('the version of $packages is the one that the tests use', ({ packages, version }) => {
  expect(version).toBe(packages.map((name) => versions.get(name)).join(', '))
})
