import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { readScoreboard } from '../../../scripts/lib/scoreboard.ts'
import { codesOf, sectionOf } from '../../service/documentation.ts'
import { makeBuildFolder, serviceUrl } from '../journey.ts'
import type { Column } from '../lab/column.ts'
import { describeColumns } from '../lab/describe-columns.ts'
import { buildColumn, judgeColumn } from '../lab/judge.ts'
import { COLUMNS } from './lab/columns.ts'

describeColumns(COLUMNS)

/** The groups that the driver of docs/lab.md calls whole. */
const GROUPS = ['path', 'query', 'header', 'cookie', 'form', 'redirect']

// In this file, because both would build the same client.
it('the driver of docs/lab.md sends what the one of the scoreboard sends', async () => {
  const column = COLUMNS.find(({ name }) => name === 'openapi-python-client')
  if (!column) throw new Error('There is no column for openapi-python-client.')
  const section = sectionOf(await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8'), '## A driver in Python')
  const [driver = ''] = codesOf(section, 'python')
  const file = join(await makeBuildFolder('python', 'lab-driver'), 'driver.py')
  await writeFile(file, driver)
  const service = serviceUrl().replace('localhost', '127.0.0.1')
  const output = await buildColumn(column, service)
  const documented: Column = { ...column, command: (of) => ({ ...column.command(of), command: ['python', file] }) }
  const cells = await judgeColumn(documented, output, service)
  const compared = (of: typeof cells) =>
    Object.entries(of)
      .filter(([id]) => GROUPS.includes(id.split('/')[0] ?? '') || id === 'body/base64url')
      .map(([id, { error: _, ...cell }]) => [id, cell])
  expect(compared(cells)).toEqual(compared((await readScoreboard()).Python['openapi-python-client']?.cells ?? {}))
})
