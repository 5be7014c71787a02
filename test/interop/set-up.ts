import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { ownAddress } from '../service/own-address.ts'
import { untilPrepared } from '../service/preparation.ts'
import * as service from '../service/set-up.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A file with the OpenAPI document that the shared service serves. */
    document: string
    /** Files with the documents in OpenAPI 3.2 of the common world and of a universe, by world. */
    newerDocuments: Record<World, string>
  }
}

type World = 'the common world' | 'a universe'

let folder: string | undefined

/** Starts the service that the tests share, as for the tests on Node, and waits until it is ready. */
export async function setup(project: TestProject): Promise<void> {
  await service.setup(project)
  const { preparation, shared } = project.getProvidedContext()
  await untilPrepared(preparation)
  folder = await mkdtemp(join(tmpdir(), 'galaxy-interop-'))
  const universe = await fetch(`${shared.url}/universes`, { method: 'POST', headers: ownAddress() })
  const { url } = await universe.json()
  project.provide('document', await save(`${shared.url}/openapi.json`, join(folder, 'openapi.json')))
  project.provide('newerDocuments', {
    'the common world': await save(`${shared.url}/openapi-3.2.json`, join(folder, 'openapi-3.2.json')),
    'a universe': await save(`${url}/openapi-3.2.json`, join(folder, 'openapi-3.2-universe.json')),
  })
}

async function save(url: string, file: string): Promise<string> {
  await writeFile(file, await (await fetch(url)).text())
  return file
}

export async function teardown(): Promise<void> {
  await service.teardown()
  if (folder !== undefined) await rm(folder, { recursive: true })
}
