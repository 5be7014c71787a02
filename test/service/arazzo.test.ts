import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { runWorkflows } from '../support/arazzo-runner.ts'
import { bodyOf } from './galaxy.ts'
import { LINTER, LINTER_ENVIRONMENT, lint } from './linter.ts'
import { ownAddress } from './own-address.ts'
import { shareGalaxy } from './prepared-state.ts'

// documented-commands.test.ts runs the workflows at `npm start`. The shared service is that of the package.

const OLDER = ['firstPlanet', 'findPlanets', 'hearBack']
const NEWER = [...OLDER, 'threeDresses', 'copyPlanet', 'createAndHear']

const makeAccount = () => ({ email: `workflows-${crypto.randomUUID()}@example.com`, password: 'i-love-planets' })

const worlds = [
  ['the common world', async () => shareGalaxy().url],
  [
    'a universe',
    async () => {
      const made = await fetch(`${shareGalaxy().url}/universes`, { method: 'POST', headers: ownAddress() })
      return (await bodyOf(made)).url as string
    },
  ],
] as const

describe.each(worlds)('the Arazzo documents of %s', (_, open) => {
  it.each(['arazzo', 'arazzo-1.1'])('%s.json has no fault, and its own addresses', async (name) => {
    const base = await open()
    const text = await (await fetch(`${base}/${name}.json`)).text()
    expect(await lint(text)).toEqual([])
    const { $self = `${base}/${name}.json`, sourceDescriptions } = JSON.parse(text)
    expect([$self, ...sourceDescriptions.map(({ url }: { url: string }) => url)]).toEqual([
      `${base}/${name}.json`,
      ...(name === 'arazzo' ? ['openapi.json'] : ['openapi-3.2.json', 'asyncapi.json']).map(
        (file) => `${base}/${file}`,
      ),
    ])
  })

  it('run from the document alone, again and again, and leave no planet', async () => {
    const base = await open()
    const account = makeAccount()
    const idsOf = (ran: { workflowId: string }[]) => ran.map(({ workflowId }) => workflowId)
    expect(idsOf(await runWorkflows(`${base}/arazzo.json`, account))).toEqual(OLDER)
    expect(idsOf(await runWorkflows(`${base}/arazzo-1.1.json`, account))).toEqual(NEWER)
    const left = await bodyOf(await fetch(`${base}/planets?name=Workflow`))
    expect(left.data).toEqual([])
  })

  it('are run by redocly respect, again and again', async () => {
    const base = await open()
    const folder = await mkdtemp(join(tmpdir(), 'galaxy-respect-'))
    try {
      await writeFile(join(folder, 'arazzo.json'), await (await fetch(`${base}/arazzo.json`)).text())
      const inputs = Object.entries(makeAccount()).flatMap((input) => ['--input', input.join('=')])
      for (const round of [1, 2]) {
        const args = [LINTER, 'respect', 'arazzo.json', ...inputs, '--json-output', `${round}.json`]
        const options = { cwd: folder, env: LINTER_ENVIRONMENT, maxBuffer: 50_000_000 }
        const { stdout, stderr } = await promisify(execFile)(process.execPath, args, options)
        expect(stdout + stderr).toMatch(/Workflows: 3 passed, 3 total/)
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('the runner of workflows', () => {
  it('names the step whose criterion does not hold', async () => {
    const account = makeAccount()
    const wrong = { ...account, password: 'short' }
    await expect(runWorkflows(`${shareGalaxy().url}/arazzo.json`, wrong)).rejects.toThrow(/^firstPlanet, signUp: /)
  })
})
