import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { shareGalaxy } from '../../service/prepared-state.ts'
import { run } from '../journey.ts'
import type { Command } from '../languages.ts'

const CLIENTS = import.meta.dirname
const PUBLIC_DOCUMENT = createRequire(import.meta.url).resolve('@scalar/galaxy/3.1.json')
const OUR_DOCUMENT = join(ROOT, 'documents/out/openapi.json')
const DOCUMENTED_FETCH = join(ROOT, 'test', 'support', 'documented-fetch-everywhere.ts')

// The generators need TypeScript 5, so it comes before the TypeScript of the project.
const PATH = [join(CLIENTS, 'node_modules/.bin'), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter)

/** Runs a command of the folder. */
const runHere = (command: Command, env: NodeJS.ProcessEnv = {}) => run(command, CLIENTS, { PATH, ...env })

/** Generates the clients of a document again, in `generated/<name>`. */
async function generate(name: string, document: string): Promise<void> {
  const output = join(CLIENTS, 'generated', name)
  await rm(output, { recursive: true, force: true })
  const env = { DOCUMENT: document, OUTPUT: output }
  await Promise.all([
    runHere([
      'openapi-typescript',
      document,
      '--read-write-markers',
      '-o',
      join(output, 'openapi-typescript/schema.ts'),
    ]),
    runHere(['openapi-ts', '--silent'], env),
    runHere(['orval', '--quiet'], env),
    // The public document's paging schema has a dynamic reference, which kubb cannot read.
    ...(name === 'ours' ? [runHere(['kubb', 'generate', '--silent'], env)] : []),
  ])
}

const galaxy = shareGalaxy()

/** Journeys that a process makes, each with another client, because a client keeps its settings for its process. */
const PUBLIC_JOURNEYS = ['openapi-fetch', 'hey-api', 'orval']
const OUR_JOURNEYS = ['ours/openapi-fetch', 'ours/hey-api', 'ours/orval', 'ours/kubb']

describe.each([
  { name: 'public', document: PUBLIC_DOCUMENT, project: 'tsconfig.public.json', processes: [PUBLIC_JOURNEYS] },
  { name: 'ours', document: OUR_DOCUMENT, project: 'tsconfig.json', processes: [PUBLIC_JOURNEYS, OUR_JOURNEYS] },
])('clients generated from the document "$name"', ({ name, document, project, processes }) => {
  beforeAll(() => generate(name, document))

  it('type-check where they are used', async () => {
    // The compiler of the project, which is several times faster than the one that the generators need.
    expect(await runHere([join(ROOT, 'node_modules/.bin/tsc'), '--project', project])).toBe('')
  })

  // A process makes several, because each process takes a second to load what compares responses with the document.
  it.each(processes.map((journeys) => [journeys]))('complete the journeys %j', async (journeys) => {
    const options = ['--import', DOCUMENTED_FETCH, `--conditions=${name}`]
    const printed = await runHere(['node', ...options, 'run-journeys.ts', ...journeys], { GALAXY_URL: galaxy.url })
    expect(printed.trim().split('\n')).toEqual(journeys.map((journey) => `${journey} is complete`))
  })
})
