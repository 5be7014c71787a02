import { expect, it } from 'vitest'
import { readScoreboard } from '../../../scripts/lib/scoreboard.ts'
import { keepUnsteady } from './cells.ts'
import { ALL_COLUMNS } from './columns.ts'
import { generatingCommandOf } from './generating-command.ts'
import { judgeRecording } from './judge-recording.ts'
import { readRecording } from './recordings.ts'

// What clients have sent, judged anew by the judge as it is now. Clients whose inputs have changed are built by
// `npm run interop`.

it.each(ALL_COLUMNS.map((column) => [column.name, column] as const))(
  'the requests of %s have the verdicts of docs/scoreboard.json',
  async (name, column) => {
    const recording = await readRecording(column)
    if (!recording) throw new Error(`${name} has no recording: npm run scoreboard -- ${name}`)
    const committed = (await readScoreboard())[column.language][name]?.cells ?? {}
    expect(keepUnsteady(column, committed, judgeRecording(column, recording))).toEqual(committed)
  },
)

it.each(ALL_COLUMNS)('docs/scoreboard.json has the command that generates $name', async (column) => {
  const committed = (await readScoreboard())[column.language][column.name]
  expect(committed?.command).toBe(await generatingCommandOf(column))
})

it('a case that is newer than a recording gets no cell, and the others keep theirs', async () => {
  const [column] = ALL_COLUMNS
  const recording = column && (await readRecording(column))
  if (!recording) throw new Error('The first client has no recording.')
  const { 'query/form-array': newer, ...others } = judgeRecording(column, recording)
  expect(newer).toBeDefined()
  const cases = recording.cases.filter((id) => id !== 'query/form-array')
  expect(judgeRecording(column, { ...recording, cases })).toEqual(others)
})
