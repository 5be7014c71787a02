import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { FOR_MANY_USERS, type Galaxy, makeStateFolder, startGalaxy } from '../service/galaxy.ts'
import { freePort } from '../service/ports.ts'
import { prepareWorld } from '../service/prepare-world.ts'
import { isInstalled, LANGUAGE_NAMES } from './languages.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The service that the clients use, and a file with its OpenAPI document. Both are empty if no language is installed. */
    interop: { url: string; document: string }
  }
}

let galaxy: Galaxy | undefined
let remove: () => Promise<unknown> = async () => undefined

/** Starts the service that all clients use, if a language is installed. */
export async function setup(project: TestProject): Promise<void> {
  if (!LANGUAGE_NAMES.some(isInstalled)) return project.provide('interop', { url: '', document: '' })
  const [state, built] = [await makeStateFolder(), await makeStateFolder()]
  remove = () => Promise.all([state, built].map((folder) => folder.remove()))
  await prepareWorld(state.folder, built.folder)
  const port = await freePort()
  galaxy = await startGalaxy(['--port', String(port), '--persist-to', state.folder, ...FOR_MANY_USERS])
  const document = join(built.folder, 'openapi.json')
  const response = await fetch(`${galaxy.url}/openapi.json`)
  await writeFile(document, await response.text())
  project.provide('interop', { url: galaxy.url, document })
}

export async function teardown(): Promise<void> {
  await galaxy?.stop()
  await remove()
}
