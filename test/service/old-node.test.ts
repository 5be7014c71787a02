import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'

// Somebody who runs a script by hand may have an older Node than the one that npm installs.

const { devDependencies, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const NEEDED = Number.parseInt(devDependencies.node, 10)
const NAMED = Object.values<string>(scripts).flatMap((line) =>
  Array.from(line.matchAll(/scripts\/run\.cjs (\S+)/g), ([, name = '']) => name),
)
/** The commands that npm commands run, and one that is only run by hand. */
const COMMANDS = [...new Set(NAMED), 'prepare-database']

interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

function run(node: string, ...args: string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(node, args, { cwd: ROOT, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

/** A Node of this machine that is too old, if there is one. */
function findOldNode(): { path: string; version: string } | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .map((path) => ({ path, version: run(path, '--version').stdout?.trim().slice(1) ?? '' }))
    .find(({ version }) => version !== '' && Number.parseInt(version, 10) < NEEDED)
}

const old = findOldNode()
if (!old)
  console.warn(`\n*** There is no Node older than ${NEEDED} here: what the scripts say to it is not tried. ***\n`)

describe.runIf(old)('on an older Node', () => {
  it.each(COMMANDS)('%s says in one line which Node it needs and how it is run', (name) => {
    const { code, stdout, stderr } = run(old?.path ?? '', 'scripts/run.cjs', name)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    const [, instead] = /^[^\n]* needs Node [^\n]*: (np[^\n]*)\n$/.exec(stderr) ?? []
    expect(instead, stderr).toBeTypeOf('string')
    expect(stderr).toContain(`${name} needs Node ${NEEDED} or newer, and this is Node ${old?.version}.`)
    const [, command] = /^npm run (\S+)$/.exec(instead ?? '') ?? []
    expect(`${command === undefined ? instead : scripts[command]} `).toContain(`scripts/run.cjs ${name} `)
  })

  it.each([
    [['openapi'], 'npm run generate'],
    [['print-secret', 'data-key'], 'npm run data-key'],
    [['start', '--port', '8788'], 'npm run start'],
  ])('%j is sent to %s', (args, instead) => {
    expect(run(old?.path ?? '', 'scripts/run.cjs', ...args).stderr).toMatch(new RegExp(`: ${instead}\n$`))
  })
})

it.each(COMMANDS)('the command %s exists', (name) => {
  expect(existsSync(join(ROOT, `scripts/lib/${name}.ts`))).toBe(true)
})

it('every npm command that runs a script runs a command', () => {
  const others = Object.values<string>(scripts).filter((line) => /scripts\/(?!run\.cjs )/.test(line))
  expect(others).toEqual([])
})
