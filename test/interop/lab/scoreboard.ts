import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type Cells, type ClientResult, hasPassed, type Scoreboard } from '../../../laboratory/scoreboard/results.ts'
import { readScoreboard, SCOREBOARD_FILE } from '../../../scripts/lib/scoreboard.ts'
import { printScoreboard, writeScoreboard } from '../../../scripts/lib/write-scoreboard.ts'
import { makeStateFolder, startGalaxy } from '../../service/galaxy.ts'
import { freePort } from '../../service/ports.ts'
import { prepareWorld } from '../../service/prepare-world.ts'
import { isInstalled } from '../languages.ts'
import { readCatalogue } from './bench.ts'
import { changedCells, keepUnsteady, selects } from './cells.ts'
import type { Column } from './column.ts'
import { ALL_COLUMNS } from './columns.ts'
import { generatingCommandOf } from './generating-command.ts'
import { buildColumn, isStopped, judgeColumn, recordColumn } from './judge.ts'
import { judgeRecording } from './judge-recording.ts'
import { inputsOf, readRecording, writeRecording } from './recordings.ts'

// `npm run scoreboard [-- NAME ...]` lets the clients of the scoreboard call every case, and writes what they sent to
// docs/scoreboard.json. A client that is not named, or whose packages are not installed, keeps its last result. It prints
// what has changed. It starts a service for this, or with `--service URL` uses one that runs. With `--twice` it calls
// everything twice, and fails if the cells differ. With `--judge` it runs no client, and judges anew what the clients have
// sent before. With `--stops` it writes nothing, tries each case of `stops` alone, and
// fails if one stops its generator or compiler no more.

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    service: { type: 'string' },
    twice: { type: 'boolean' },
    judge: { type: 'boolean' },
    check: { type: 'boolean', default: false },
    stops: { type: 'boolean' },
  },
})
const unknown = names.find((name) => !ALL_COLUMNS.some((column) => column.name === name))
if (unknown !== undefined) {
  console.error(
    `${unknown} is no client of the scoreboard. There are: ${ALL_COLUMNS.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(2)
}
const chosen = names.length > 0 ? ALL_COLUMNS.filter(({ name }) => names.includes(name)) : ALL_COLUMNS

if (values.judge) {
  for (const column of chosen) await judgeAgain(column)
} else if (values.service !== undefined)
  await runAll(values.service.replace(/\/$/, '').replace('localhost', '127.0.0.1'))
else {
  const state = await makeStateFolder()
  try {
    await prepareWorld(state.folder)
    const port = await freePort()
    const galaxy = await startGalaxy(['--port', String(port), '--persist-to', state.folder])
    try {
      await runAll(`http://127.0.0.1:${port}`)
    } finally {
      await galaxy.stop()
    }
  } finally {
    await state.remove()
  }
}

async function runAll(service: string): Promise<void> {
  for (const column of chosen) {
    if (isInstalled(column.folder)) {
      const run = values.stops ? tryStops(column, service) : runColumn(column, service)
      await run.catch((error) => {
        // One client must not keep the others from their results.
        console.error(`*** ${column.name} keeps its last result: ${error instanceof Error ? error.message : error} ***`)
        process.exitCode = 1
      })
    } else if (values.check) await judgeAgain(column)
    else {
      console.warn(`*** ${column.name} keeps its last result: npm run interop:install -- ${column.folder} ***`)
      if (names.length > 0) process.exitCode = 1
    }
  }
}

/** Judges what a client has sent before. */
async function judgeAgain(column: Column): Promise<void> {
  const { name, language } = column
  const [scoreboard, recording] = [await readScoreboard(), await readRecording(column)]
  const before = scoreboard[language][name]
  if (!before || !recording) throw new Error(`${name} has sent nothing before: npm run scoreboard -- ${name}`)
  const cells = keepUnsteady(column, before.cells, judgeRecording(column, recording))
  for (const id of changedCells(before.cells, cells)) report(id, before.cells, cells)
  const { tool, version, document, date, suite } = before
  await keep(column, scoreboard, { tool, version, document, ...(await sourcesOf(column)), date, suite, cells })
  if (values.check) console.log(`${name}: judged by what it has sent before`)
}

/** Writes the result of a column. With `--check`, only compares it: then its day is that of the last result. */
async function keep({ name, language }: Column, scoreboard: Scoreboard, result: ClientResult): Promise<void> {
  const before = scoreboard[language][name]
  const kept = values.check && before ? { ...result, date: before.date } : result
  const results = { ...scoreboard[language], [name]: kept }
  const inOrder = ALL_COLUMNS.flatMap((one) => {
    const own = one.language === language ? results[one.name] : undefined
    return own ? [[one.name, own] as const] : []
  })
  const changed = { ...scoreboard, [language]: Object.fromEntries(inOrder) }
  if (!values.check) return await writeScoreboard(changed)
  if (printScoreboard(changed) === (await readFile(SCOREBOARD_FILE, 'utf8'))) return
  console.error(`${name}: docs/scoreboard.json is out of date. Run: npm run scoreboard -- ${name}`)
  process.exitCode = 1
}

async function tryStops(column: Column, service: string): Promise<void> {
  const { cases } = await readCatalogue(service)
  const listed = cases.filter((one) =>
    column.stops.some((stop) => stop.cases.some((selected) => selects(selected, one))),
  )
  for (const one of listed) {
    if (await isStopped(column, one, service)) continue
    console.error(`${column.name}: ${one.id} does not stop it any more`)
    process.exitCode = 1
  }
  console.log(`${column.name}: tried ${listed.length} cases that stop it`)
}

async function runColumn(column: Column, service: string): Promise<void> {
  const { name, language, tool, document } = column
  const scoreboard = await readScoreboard()
  const before = scoreboard[language][name]
  const begin = performance.now()
  const output = await buildColumn(column, service)
  const built = performance.now()
  const recorded = await recordColumn(column, output, service)
  const cells = keepUnsteady(column, before?.cells ?? {}, recorded.cells)
  const { cases, errors, requests } = recorded
  const recording = { inputs: await inputsOf(column), cases, errors, requests }
  if (!values.check) await writeRecording(column, recording)
  const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(1)} s`
  console.log(`${name}: built in ${seconds(begin, built)}, ran in ${seconds(built, performance.now())}`)
  if (values.twice) {
    const second = keepUnsteady(column, cells, await judgeColumn(column, output, service))
    const different = changedCells(cells, second)
    for (const id of different) report(id, cells, second)
    if (different.length > 0) throw new Error(`${name} has other cells the second time.`)
  }
  const { suite } = await readCatalogue(service)
  const version = await column.version()
  const date = new Date().toISOString().slice(0, 10)
  await keep(column, scoreboard, { tool, version, document, ...(await sourcesOf(column)), date, suite, cells })
  if (before && before.version !== version) console.log(`  version ${before.version} -> ${version}`)
  if (before) for (const id of changedCells(before.cells, cells)) report(id, before.cells, cells)
  const all = Object.values(cells)
  console.log(`  ${all.filter(hasPassed).length} of ${all.length} cases passed`)
}

/** How a client was made, and what calls it. */
async function sourcesOf(column: Column): Promise<Pick<ClientResult, 'command' | 'driver'>> {
  const command = await generatingCommandOf(column)
  return { ...(command !== undefined && { command }), driver: `test/interop/${column.folder}/lab` }
}

function report(id: string, before: Cells, after: Cells): void {
  console.log(`  ${id}\n    - ${JSON.stringify(before[id])}\n    + ${JSON.stringify(after[id])}`)
}
