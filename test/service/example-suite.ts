import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, glob, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { type MeetingPoint, startMeetingPoint } from './meeting-point.ts'
import { listCommandLines } from './processes.ts'
import type { Project } from './project.ts'

// The test suites of examples/, in a project with the installed package.

/** Runs longer than a suite takes on a busy machine, and less than a test may take. */
const RUN_MS_MAX = 110_000

/**
 * Copies an example into a new folder of a project. Its test is there twice, once with another name of the planet.
 *
 * @returns The folder
 */
export async function copyExample(name: string, { folder }: Project): Promise<string> {
  const suite = await mkdtemp(join(folder, `${name}-`))
  await cp(join(ROOT, 'examples', name), suite, { recursive: true })
  const rename = (text: string) => text.replaceAll('arrakis', 'caladan').replaceAll('Arrakis', 'Caladan')
  for (const file of await Array.fromAsync(glob('**/*rrakis*', { cwd: suite }))) {
    await writeFile(join(suite, rename(file)), rename(await readFile(join(suite, file), 'utf8')))
  }
  return suite
}

/**
 * Runs a program in a suite, which does not notice that vitest runs it.
 *
 * @param galaxyUrl The service that it is to use; otherwise, it starts one
 * @returns What it printed to its standard output
 * @throws Error with all that it printed, if it fails
 */
export function runSuite([program = '', ...args]: readonly string[], suite: string, galaxyUrl?: string) {
  const options = { cwd: suite, timeout: RUN_MS_MAX, env: suiteEnvironment(galaxyUrl) }
  return new Promise<string>((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}${stderr}`))
      else resolve(stdout)
    })
  })
}

/** The environment for `runSuite`. */
export function suiteEnvironment(galaxyUrl?: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|GALAXY)/.test(name))
  // Go needs no C compiler, and fetches no other Go.
  const go = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local' }
  return { ...Object.fromEntries(own), ...go, ...(galaxyUrl !== undefined && { GALAXY_URL: galaxyUrl }) }
}

/**
 * Two test files changed the same planet at the same time, each in its universe, which was put back after each test.
 */
export function expectTwoUniverses(meeting: MeetingPoint): void {
  const universes = Object.groupBy(meeting.seen, ({ universe }) => universe)
  const histories = Object.values(universes).map((seen = []) => seen.map(({ request }) => request))
  const history = [
    ...['PUT /planets/1', 'GET /planets/1', 'POST /universe/reset'],
    ...['GET /planets/1', 'POST /universe/reset', 'DELETE /universe'],
  ]
  expect(histories).toEqual([history, history])
  const written = meeting.seen.filter(({ body }) => body).map(({ body }) => JSON.parse(body))
  expect(written).toHaveLength(2)
  expect(written).toEqual(expect.arrayContaining([{ name: 'Arrakis' }, { name: 'Caladan' }]))
}

/**
 * Runs a copy of an example with two test files that meet at a service, and again with a service that it starts itself,
 * of which nothing is left.
 *
 * @param suite The folder of the copy
 * @param commands Run all of its tests, together
 * @returns What they printed when they started a service
 */
export async function runBoth(suite: string, { folder }: Project, galaxyUrl: string, ...commands: string[][]) {
  const meeting = await startMeetingPoint(galaxyUrl)
  try {
    await Promise.all(commands.map((command) => runSuite(command, suite, meeting.url)))
    expectTwoUniverses(meeting)
  } finally {
    meeting.close()
  }
  const outputs = await Promise.all(commands.map((command) => runSuite(command, suite)))
  expect(await listCommandLines(folder)).toEqual([])
  return outputs
}

/** Kills a suite while one of its tests runs, which makes the file `hanging`. Nothing of it is left. */
export async function killDuringTest([program = '', ...args]: string[], suite: string, { folder }: Project) {
  const tests = spawn(program, args, { cwd: suite, env: suiteEnvironment(), stdio: 'ignore' })
  const ended = new Promise((resolve) => tests.on('close', resolve))
  try {
    await expect.poll(() => existsSync(join(suite, 'hanging')), { timeout: RUN_MS_MAX }).toBe(true)
  } finally {
    tests.kill('SIGKILL')
    await ended
  }
  await expect.poll(() => listCommandLines(folder)).toEqual([])
}
