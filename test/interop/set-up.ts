import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { untilPrepared } from '../service/preparation.ts'
import * as service from '../service/set-up.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A file with the OpenAPI document that the shared service serves. */
    document: string
  }
}

let folder: string | undefined

/** Starts the service that the tests share, as for the tests on Node, and waits until it is ready. */
export async function setup(project: TestProject): Promise<void> {
  await service.setup(project)
  const { preparation, shared } = project.getProvidedContext()
  await untilPrepared(preparation)
  folder = await mkdtemp(join(tmpdir(), 'galaxy-interop-'))
  const file = join(folder, 'openapi.json')
  await writeFile(file, await (await fetch(`${shared.url}/openapi.json`)).text())
  project.provide('document', file)
}

export async function teardown(): Promise<void> {
  await service.teardown()
  if (folder !== undefined) await rm(folder, { recursive: true })
}
