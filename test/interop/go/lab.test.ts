import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { readScoreboard } from '../../../scripts/lib/scoreboard.ts'
import { codesOf, sectionOf } from '../../service/documentation.ts'
import { makeBuildFolder, serviceUrl } from '../journey.ts'
import { describeColumns } from '../lab/describe-columns.ts'
import { buildColumn, judgeColumn } from '../lab/judge.ts'
import { go } from './go.ts'
import { COLUMNS } from './lab/columns.ts'

describeColumns(COLUMNS)

/** The groups that the driver of docs/lab.md calls whole, but what it says to skip. */
const GROUPS = ['path', 'query', 'header', 'cookie', 'form']
const SKIPPED = 'query/null'

/** The cases of `response` that it does not report, as it says. The client does not read number-forms. */
const LEFT_OUT = [
  'read-only',
  'write-only',
  'text',
  'bytes',
  'no-content',
  'two-successes',
  'headers',
  'problem',
  'default',
  'range',
]

// In this file, because both would build the same client.
it('the driver of docs/lab.md sends what the one of the scoreboard sends', async () => {
  const oapiCodegen = COLUMNS.find(({ name }) => name === 'oapi-codegen')
  if (!oapiCodegen) throw new Error('There is no column for oapi-codegen.')
  const section = sectionOf(await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8'), '## A driver in Go')
  const [driver = ''] = codesOf(section, 'go')
  const service = serviceUrl().replace('localhost', '127.0.0.1')
  await buildColumn(oapiCodegen, service)
  const output = await makeBuildFolder('go', 'lab-driver')
  const source = driver.replace('example.com/driver', 'galaxy.test/interop/build/lab/oapi-codegen')
  await writeFile(join(output, 'main.go'), source)
  await go('build', `-o=${join(output, 'drive')}`, './build/lab-driver')
  const cells = await judgeColumn(oapiCodegen, output, service)
  const withoutErrors = (of: typeof cells) =>
    Object.entries(of)
      .filter(([id]) => (GROUPS.includes(id.split('/')[0] ?? '') && id !== SKIPPED) || id === 'body/base64url')
      .map(([id, { error: _, ...cell }]) => [id, cell])
  expect(withoutErrors(cells)).toEqual(withoutErrors((await readScoreboard()).Go['oapi-codegen']?.cells ?? {}))
  const incomplete = Object.entries(cells).filter(([, { verdict }]) => verdict === 'incomplete')
  expect(incomplete.map(([id]) => id.split('/')[1])).toEqual(['number-forms', ...LEFT_OUT])
})
