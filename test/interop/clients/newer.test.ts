import { readdir, readFile, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { newerDocumentFile, run, WORLDS } from '../journey.ts'
import type { Command } from '../languages.ts'
import { claimOf, yesOrNo } from '../newer.ts'

// Generators of clients in TypeScript read the document in OpenAPI 3.2. What they make of it is in docs/tools.md.

const PATH = [join(import.meta.dirname, 'node_modules/.bin'), process.env.PATH].join(delimiter)

describe.each(WORLDS)('from the document in OpenAPI 3.2 of %s', (world) => {
  const output = join(import.meta.dirname, 'generated', world === 'a universe' ? 'newer-universe' : 'newer')

  /** The tools by the names of their rows, the command of each, and its folder. */
  const tools: [tool: string, folder: string, command: Command][] = [
    [
      'openapi-typescript',
      'openapi-typescript',
      ['openapi-typescript', newerDocumentFile(world), '-o', join(output, 'openapi-typescript/schema.ts')],
    ],
    ['hey-api (@hey-api/openapi-ts)', 'hey-api', ['openapi-ts', '--silent']],
    ['orval', 'orval', ['orval', '--quiet']],
  ]
  const kubb: Command = ['kubb', 'generate', '--silent']

  beforeAll(async () => {
    await rm(output, { recursive: true, force: true })
    const env = { PATH, DOCUMENT: newerDocumentFile(world), OUTPUT: output }
    for (const [, , command] of tools) await run(command, import.meta.dirname, env)
  })

  it.each(tools)('%s makes what docs/tools.md says', async (tool, folder) => {
    const { reads, query, queryString, items } = claimOf(tool)
    const code = await codeIn(join(output, folder))
    const hasQuery = /method: ?'QUERY'|^ {4}queryPlanets: \{$/m.test(code)
    expect({ reads, query }).toEqual({ reads: 'yes', query: yesOrNo(hasQuery) })
    // The operation is there, but its parameter is not. The type of the parameter is used by QUERY only.
    expect(code).toContain('searchPlanets')
    expect(code).not.toMatch(/searchPlanets[^\n]*PlanetQuery/i)
    expect(code).not.toMatch(/\bfilter\??: (?:PlanetQuery|components)/)
    expect(queryString).toBe('left out')
    expect(code).toMatch(/\bPlanetEvent\b/)
    expect(code).not.toMatch(/streamPlanetEvents[^\n]*\b(?:ServerSent)?PlanetEvent\b/i)
    expect(items).toBe('types that no operation uses')
  })

  it('kubb (@kubb/cli) stops with what docs/tools.md says', async () => {
    const { reads, ...rest } = claimOf('kubb (@kubb/cli)')
    const env = { PATH, DOCUMENT: newerDocumentFile(world), OUTPUT: output }
    await expect(run(kubb, import.meta.dirname, env)).rejects.toThrow(reads.replace(/^no: /, ''))
    expect(rest).toMatchObject({ query: 'no', queryString: 'no', items: 'no' })
  })

  it('swagger-client sends what docs/tools.md says', async () => {
    // @ts-expect-error: it has no types.
    const { default: SwaggerClient } = await import('swagger-client')
    const spec = JSON.parse(await readFile(newerDocumentFile(world), 'utf8'))
    const client = await new SwaggerClient({ spec })
    const requestOf = (operationId: string, given: object) =>
      SwaggerClient.buildRequest({ spec: client.spec, operationId, ...given })
    const query = requestOf('queryPlanets', { requestBody: { name: 'kepler' } })
    const search = requestOf('searchPlanets', { parameters: { filter: { name: 'kepler' } } })
    const claim = claimOf('swagger-client')
    expect({ reads: claim.reads, query: claim.query }).toEqual({
      reads: 'yes',
      query: yesOrNo(query.method === 'QUERY'),
    })
    expect(query.body).toEqual({ name: 'kepler' })
    expect([claim.queryString, new URL(search.url).search]).toEqual(['left out', ''])
    // It has no types, and reads no items.
    expect(claim.items).toBe('no')
  })

  it('are type-checked', async () => {
    const files = await Promise.all(tools.map(([, folder]) => filesIn(join(output, folder))))
    const options = [
      ...['--ignoreConfig', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable', '--module', 'nodenext'],
      ...['--types', 'node', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--noEmit'],
    ]
    await run([join(ROOT, 'node_modules/.bin/tsc'), ...options, ...files.flat()], import.meta.dirname)
  })
})

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name))
}

async function codeIn(folder: string): Promise<string> {
  const files = await filesIn(folder)
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n')
}
